extension String: PealValue {
    /// `const char *`, UTF-8 and ended by a zero.
    public static var cType: CType { CType("const char *") }

    /// A copy of the characters. NULL becomes the empty string: where it means something, declare `String?`. Bytes
    /// that are not UTF-8 become U+FFFD.
    @inlinable
    public init(cValue: UnsafePointer<CChar>?) {
        self = cValue.map { String(cString: $0) } ?? ""
    }

    /// A copy of the characters, in the room: lent for the call, and gone after it. An observer written in C must not
    /// keep or return the pointer. A string with a zero inside, of which C would see the first part, is refused:
    /// ``Status/argument``.
    @inlinable
    public func cValue(in room: inout ArgumentRoom) -> UnsafePointer<CChar>? {
        let length = utf8.count
        guard let start = room.allocate(byteCount: length &+ 1, alignment: 1) else { return nil }
        let characters = UnsafeMutableRawBufferPointer(start: start, count: length &+ 1)
        characters.copyBytes(from: utf8)
        characters[length] = 0
        if characters.dropLast().contains(0) { room.refuse() }
        return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }

    /// For a string with a zero inside.
    public var refusal: PealError? {
        guard utf8.contains(0) else { return nil }
        return PealError(
            status: .argument,
            message: "a string has a zero at byte \(utf8.prefix { $0 != 0 }.count), where C would end it; "
                + "pass its bytes with their number instead")
    }
}

extension String: PealNullable {
    /// `const char *`.
    public static var nullableType: CType { cType }

    /// `false`.
    public static var isItsOwnNullable: Bool { false }

    /// `nil` for NULL.
    @inlinable
    public static func optional(_ nullable: UnsafePointer<CChar>?) -> String? { nullable.map { String(cString: $0) } }

    /// NULL.
    @inlinable
    public static var null: UnsafePointer<CChar>? { nil }

    /// As without an optional.
    @inlinable
    public func nullable(in room: inout ArgumentRoom) -> UnsafePointer<CChar>? { cValue(in: &room) }
}
