/// Reads an Objective-C type encoding: one letter for each scalar, `^` in front of a pointee, braces around a struct.
/// The extensions read the types.
struct EncodingReader {
    let bytes: [UInt8]
    private(set) var position = 0
    private var nesting = 0
    /// Counts the types of the whole text, as a struct of structs has many.
    private var parts = 0

    init(_ text: String) throws(SyntaxError) {
        guard text.utf8.count <= SyntaxLimits.textBytes else {
            throw SyntaxError(
                .limit, "the encoding is longer than \(SyntaxLimits.textBytes) bytes",
                column: SyntaxLimits.textBytes + 1)
        }
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position >= bytes.count }
    var column: Int { position + 1 }

    /// Zero at the end: no encoding contains that byte.
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func advance() { if position < bytes.count { position += 1 } }

    mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: letter), !isAtEnd else { return false }
        position += 1
        return true
    }

    mutating func expect(_ letter: Unicode.Scalar, _ purpose: String) throws(SyntaxError) {
        guard take(letter) else { throw unexpected("'\(letter)' \(purpose)") }
    }

    func unexpected(_ expected: String) -> SyntaxError {
        let found = isAtEnd ? "the encoding ends" : "\(spelled(current)) stands"
        return SyntaxError(.syntax, "\(found) where \(expected) is expected", column: column)
    }

    func spelled(_ byte: UInt8) -> String {
        byte > 0x20 && byte < 0x7F ? "'\(Character(UnicodeScalar(byte)))'" : "byte \(byte)"
    }

    mutating func enter() throws(SyntaxError) {
        nesting += 1
        parts += 1
        if nesting > SyntaxLimits.typeDepth {
            throw SyntaxError(.limit, TypeMeasure.tooDeep, column: column)
        }
        if parts > SyntaxLimits.typeParts {
            throw SyntaxError(.limit, TypeMeasure.tooManyParts, column: column)
        }
    }

    mutating func leave() { nesting -= 1 }

    // MARK: Words

    /// The offset after a type in a frame, which peal does not need.
    mutating func skipOffset() {
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { advance() }
        while CharacterClass.isDigit(current) { advance() }
    }

    /// A name between quotes, the cursor at the first one.
    mutating func takeQuoted() throws(SyntaxError) -> String {
        let open = column
        advance()
        let start = position
        while !isAtEnd, current != UInt8(ascii: "\"") { advance() }
        if isAtEnd { throw SyntaxError(.syntax, "this '\"' is never closed", column: open) }
        defer { advance() }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// The name of a struct or a union; nil for `?`.
    mutating func takeTag() throws(SyntaxError) -> String? {
        if take("?") { return nil }
        let (start, at) = (position, column)
        while CharacterClass.continuesName(current) { advance() }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard CharacterClass.isName(name) else { throw unexpected("the name of a struct, or '?',") }
        if Vocabulary.isReserved(name) {
            throw SyntaxError(.syntax, "'\(name)' is a word of C and cannot name a struct", column: at)
        }
        return name
    }

    mutating func takeCount() throws(SyntaxError) -> Int {
        let at = column
        guard CharacterClass.isDigit(current) else { throw unexpected("the length of an array") }
        var count = 0
        while CharacterClass.isDigit(current) {
            count = min(count * 10 + Int(current - 0x30), SyntaxLimits.bufferBytes + 1)
            advance()
        }
        if count > SyntaxLimits.bufferBytes { throw SyntaxError(.limit, "the array is too large", column: at) }
        return count
    }
}
