internal import CPealSupport

/// A value as a caller passes it: bytes and, for a text, the pointed-to characters.
struct PropertyValue {
    /// nil: zeros.
    let bytes: UnsafeRawPointer?
    /// The length; for a text, with its zero.
    let size: Int

    /// - Parameter given: Points to a value of the type; nil: zeros, or an empty text.
    init(_ given: UnsafeRawPointer?, of type: PropertyType) throws(Failure) {
        guard type.isText else {
            bytes = given
            size = type.size
            return
        }
        guard let given else {
            bytes = nil
            size = 1
            return
        }
        guard let text = given.loadUnaligned(as: UnsafePointer<CChar>?.self) else {
            throw Failure(.argument, "the text is NULL; give an empty one")
        }
        size = peal_memory_text_size(text)
        bytes = UnsafeRawPointer(text)
        guard size <= Self.longestText else {
            throw Failure(.limit, "the text has \(size - 1) bytes; a property's text has less than \(Self.longestText)")
        }
    }

    private static var longestText: Int { 1 << 20 }
}
