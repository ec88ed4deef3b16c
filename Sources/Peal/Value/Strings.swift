internal import Synchronization

extension String: PealValue {
    /// `const char *`, UTF-8 and ended by a zero.
    public static var cType: CType { CType("const char *") }

    /// A copy of the characters. NULL becomes the empty string: where NULL has a meaning, declare `String?`. Bytes that
    /// are not UTF-8 become U+FFFD.
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

    /// The error of a string with a zero inside.
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

extension String: PealResult, PealNullableResult {
    /// A copy of the characters that is never freed, and is the same for each equal string.
    public var cValue: UnsafePointer<CChar>? { ReturnedStrings.pointer(to: self) }

    /// As without an optional.
    public var returned: UnsafePointer<CChar>? { cValue }
}

/// The strings that observers have returned. A caller in C may keep the pointer, so none is freed.
private enum ReturnedStrings {
    /// The addresses of the characters.
    private static let addresses = Mutex<[String: UInt]>([:])

    static func pointer(to string: String) -> UnsafePointer<CChar>? {
        let address = addresses.withLock { addresses in
            if let known = addresses[string] { return known }
            let characters = string.utf8CString
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: characters.count)
            _ = copy.initialize(from: characters)
            let address = UInt(bitPattern: copy.baseAddress)
            addresses[string] = address
            return address
        }
        return UnsafePointer(bitPattern: address)
    }
}
