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
