extension String: PealValue {
    /// `const char *`, UTF-8 and ended by a zero.
    public static var cType: CType { CType("const char *") }

    /// A copy of what came. NULL becomes the empty string: where it means something, declare `String?`. Bytes
    /// that are not UTF-8 become U+FFFD.
    @inlinable
    public init(cValue: UnsafePointer<CChar>?) {
        self = cValue.map { String(cString: $0) } ?? ""
    }

    /// A copy of the characters, in `room`.
    @inlinable
    public func cValue(beside room: UnsafeMutableRawPointer) -> UnsafePointer<CChar>? {
        let length = utf8.count
        let characters = UnsafeMutableRawBufferPointer(start: room, count: length + 1)
        characters.copyBytes(from: utf8)
        characters[length] = 0
        return UnsafePointer(room.assumingMemoryBound(to: CChar.self))
    }

    /// The length in UTF-8, and a zero.
    ///
    /// - Throws: ``Status/argument`` for a string with a zero inside, of which C would see the first part.
    @inlinable
    public func lengthBeside() throws(PealError) -> Int {
        if utf8.contains(0) { throw PealError.stringWithZero(self) }
        return utf8.count + 1
    }
}

extension PealError {
    @usableFromInline
    static func stringWithZero(_ text: String) -> PealError {
        let place = text.utf8.prefix { $0 != 0 }.count
        return PealError(
            status: .argument,
            message: "a string has a zero at byte \(place), where C would end it; pass its bytes with their number instead")
    }
}

extension String: PealNullable {
    /// `nil` for NULL.
    @inlinable
    public static func optional(cValue: UnsafePointer<CChar>?) -> String? { cValue.map { String(cString: $0) } }

    /// NULL.
    @inlinable
    public static var null: UnsafePointer<CChar>? { nil }
}
