internal import CPealSupport

/// Texts in the caller's memory.
public enum CallerText {
    /// Reads a text, which must not be NULL and must be UTF-8.
    public static func read(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String {
        guard let pointer else { throw .null(name) }
        guard let text = String(validatingCString: pointer) else {
            throw Failure(.argument, "\(name) is not UTF-8 text")
        }
        return text
    }

    /// Refuses a name or a label with control characters, as which ASCII, DEL and U+0080 to U+009F count. People read
    /// names in terminals, in lists and in logs by lines, where such a character would pass for something else.
    static func checkName(_ bytes: some Sequence<UInt8>, _ what: @autoclosure () -> String) throws(Failure) {
        var previous: UInt8 = 0
        for (index, byte) in bytes.enumerated() {
            guard byte >= 0x20, byte != 0x7F, previous != 0xC2 || byte >= 0xA0 else {
                throw Failure(
                    .argument,
                    "\(what()) has a control character at byte \(index + 1); leave out line breaks, tabs and the like")
            }
            previous = byte
        }
    }

    /// The same for the caller's bytes, which must be UTF-8.
    public static func checkName(_ name: UnsafePointer<CChar>, _ what: @autoclosure () -> String) throws(Failure) {
        try checkName(UnsafeRawBufferPointer(start: name, count: strlen(name)), what())
    }

    /// Reads a text for a parser, which reports columns in the caller's bytes. So each byte of a text that is not UTF-8
    /// stays one byte: a byte above ASCII becomes ASCII's substitute character.
    public static func source(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String {
        guard let pointer else { throw .null(name) }
        if let text = String(validatingCString: pointer) { return text }
        let bytes = sequence(first: pointer) { $0 + 1 }.lazy.map { UInt8(bitPattern: $0.pointee) }.prefix { $0 != 0 }
        return String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x1A }, as: UTF8.self)
    }
}

extension Failure {
    public static func null(_ name: String) -> Failure {
        Failure(.argument, "\(name) is NULL; it must point to something")
    }
}
