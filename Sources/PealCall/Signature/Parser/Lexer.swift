/// Cuts a text into tokens. It never fails as a whole: the tokens before a mistake are kept, so that
/// mistakes are reported in the order of the text.
struct Lexer {
    let bytes: [UInt8]
    private(set) var tokens: [SourceToken] = []
    /// The reason why the tokens end before the text does.
    private(set) var failure: SyntaxError?
    private var position = 0

    init(_ text: String, longest: Int = SyntaxLimits.textBytes) {
        // Measured before it is copied: a text may be of any length.
        guard text.utf8.count <= longest else {
            bytes = []
            failure = SyntaxError(.limit, "the text is longer than \(longest) bytes", column: longest + 1)
            tokens = [SourceToken(kind: .end, start: 0, end: 0)]
            return
        }
        bytes = Array(text.utf8)
        while failure == nil, skipBlanks(), let token = nextToken() {
            tokens.append(token)
            position = token.end
        }
        tokens.append(SourceToken(kind: .end, start: position, end: position))
    }

    /// ASCII's substitute character. It replaces each byte above ASCII in a text that is not UTF-8.
    static let substitute: UInt8 = 0x1A

    func text(of token: SourceToken) -> String {
        String(decoding: bytes[token.start..<token.end], as: UTF8.self)
    }

    private func byte(at index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    private mutating func fail(_ message: String, at index: Int, _ kind: SyntaxError.Kind = .syntax) {
        failure = SyntaxError(kind, message, column: index + 1)
    }

    /// Moves to the next token; false at the end of the text and in front of a mistake.
    private mutating func skipBlanks() -> Bool {
        while position < bytes.count {
            switch (byte(at: position), byte(at: position + 1)) {
            case (0x20, _), (0x09...0x0D, _):
                position += 1
            case (UInt8(ascii: "\\"), 0x0A), (UInt8(ascii: "\\"), 0x0D):
                position += 2
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                position = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                guard let end = endOfComment() else {
                    fail("this comment has no end; close it with '*/'", at: position)
                    return false
                }
                position = end
            default:
                return true
            }
        }
        return false
    }

    private func endOfComment() -> Int? {
        var index = position + 2
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
            index += 1
        }
        return nil
    }

    private mutating func nextToken() -> SourceToken? {
        let first = byte(at: position)
        if CharacterClass.startsName(first) { return run(.name) }
        if CharacterClass.isDigit(first) { return run(.number) }
        if first == UInt8(ascii: "'") { return quoted(.character, "character constant") }
        if first == UInt8(ascii: "\"") { return quoted(.string, "string") }
        for length in [3, 2, 1] where position + length <= bytes.count {
            let candidate = String(decoding: bytes[position..<position + length], as: UTF8.self)
            if let symbol = SourceSymbol(rawValue: candidate) {
                return SourceToken(kind: .symbol(symbol), start: position, end: position + length)
            }
        }
        refuseByte(first)
        return nil
    }

    private func run(_ kind: SourceToken.Kind) -> SourceToken {
        var end = position
        while end < bytes.count, CharacterClass.continuesName(bytes[end]) { end += 1 }
        return SourceToken(kind: kind, start: position, end: end)
    }

    /// The text between two quotation marks like the one at the cursor, escapes skipped.
    private mutating func quoted(_ kind: SourceToken.Kind, _ what: String) -> SourceToken? {
        let mark = byte(at: position)
        var end = position + 1
        while end < bytes.count, bytes[end] != mark, bytes[end] != 0x0A {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count, bytes[end] == mark else {
            let quoted = mark == UInt8(ascii: "'") ? "\"'\"" : "'\"'"
            fail("this \(what) has no end; close it with \(quoted)", at: position)
            return nil
        }
        return SourceToken(kind: kind, start: position, end: end + 1)
    }

    private mutating func refuseByte(_ byte: UInt8) {
        switch byte {
        case 0x80..., Lexer.substitute:
            fail("only ASCII is allowed outside comments; write the name in ASCII letters", at: position)
        case 0x21...0x7E:
            fail("'\(Character(UnicodeScalar(byte)))' has no meaning here", at: position)
        default:
            fail("the text contains a control character (byte \(byte))", at: position)
        }
    }
}

/// Classes of bytes, as the C locale has them.
enum CharacterClass {
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func startsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    static func continuesName(_ byte: UInt8) -> Bool { startsName(byte) || isDigit(byte) }

    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, startsName(first) else { return false }
        return text.utf8.allSatisfy(continuesName)
    }
}
