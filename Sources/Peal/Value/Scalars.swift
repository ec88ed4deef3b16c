internal import Synchronization

extension Int8: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Int8>?

    /// `int8_t`.
    public static var cType: CType { CType("int8_t") }
}

extension Int16: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Int16>?

    /// `int16_t`.
    public static var cType: CType { CType("int16_t") }
}

extension Int32: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Int32>?

    /// `int32_t`.
    public static var cType: CType { CType("int32_t") }
}

extension Int64: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Int64>?

    /// `int64_t`.
    public static var cType: CType { CType("int64_t") }
}

extension UInt8: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<UInt8>?

    /// `uint8_t`.
    public static var cType: CType { CType("uint8_t") }
}

extension UInt16: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<UInt16>?

    /// `uint16_t`.
    public static var cType: CType { CType("uint16_t") }
}

extension UInt32: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<UInt32>?

    /// `uint32_t`.
    public static var cType: CType { CType("uint32_t") }
}

extension UInt64: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<UInt64>?

    /// `uint64_t`.
    public static var cType: CType { CType("uint64_t") }
}

extension Int: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Int>?

    /// `long`. Takes `size_t` and `ptrdiff_t` too, as Swift's importer has them.
    public static var cType: CType { CType("long") }
}

extension UInt: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<UInt>?

    /// `unsigned long`. Takes `size_t` too.
    public static var cType: CType { CType("unsigned long") }
}

extension Float: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Float>?

    /// `float`.
    public static var cType: CType { CType("float") }
}

extension Double: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Double>?

    /// `double`.
    public static var cType: CType { CType("double") }
}

extension Bool: PealResult, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<UInt8>?

    /// `bool`.
    public static var cType: CType { CType("bool") }

    /// `true`: both have 0 and 1.
    public static var isItsOwnRepresentation: Bool { true }

    /// True for all but zero.
    @inlinable @inline(__always)
    public init(cValue: UInt8) { self = cValue != 0 }

    /// 1 or 0.
    @inlinable @inline(__always)
    public var cValue: UInt8 { self ? 1 : 0 }
}

#if arch(x86_64)
extension Float80: PealPlainValue, PealNullable {
    /// A pointer to one, or NULL.
    public typealias Nullable = UnsafePointer<Float80>?

    /// `long double`.
    public static var cType: CType { CType("long double") }
}
#endif

extension UnsafeRawPointer: PealPointer {
    /// `const void *`. Fits a parameter that points to anything constant.
    public static var cType: CType { CType("const void *") }
}

extension UnsafeMutableRawPointer: PealPointer {
    /// `void *`. Fits a parameter that points to anything that may be changed.
    public static var cType: CType { CType("void *") }
}

extension OpaquePointer: PealPointer {
    /// `void *`. Fits any pointer: Swift has pointers to incomplete C types as this.
    public static var cType: CType { .anyPointer }
}

extension UnsafePointer: PealPointer {
    /// A pointer to the constant C type of the pointee; `const void *` where that has none.
    public static var cType: CType { Pointees.pointer(to: Pointee.self, isConstant: true) }
}

extension UnsafeMutablePointer: PealPointer {
    /// A pointer to the C type of the pointee; `void *` where that has none.
    public static var cType: CType { Pointees.pointer(to: Pointee.self, isConstant: false) }
}

/// Pointed-to types.
private enum Pointees {
    static func pointer<Pointee>(to type: Pointee.Type, isConstant: Bool) -> CType {
        // `CChar` is `Int8`, and C's characters are no `int8_t` to a reader.
        let pointee = type is CChar.Type ? CType("char") : (type as? any PealValue.Type)?.cType ?? CType("void")
        // The `const` of `const char **` is after the first star.
        let isPointer = pointee.text.hasSuffix("*")
        let text =
            switch (isConstant, isPointer) {
            case (true, true): "\(pointee.text)const *"
            case (true, false): "const \(pointee.text) *"
            case (false, true): "\(pointee.text)*"
            case (false, false): "\(pointee.text) *"
            }
        return CType(text, declaration: pointee.declaration)
    }
}

extension String: PealValue {
    /// `const char *`, UTF-8 and ended by a zero.
    public static var cType: CType { .text }

    /// A copy of the characters. NULL becomes the empty string: where NULL has a meaning, declare `String?`. Bytes that
    /// are not UTF-8 become U+FFFD.
    @inlinable
    public init(cValue: UnsafePointer<CChar>?) {
        self = cValue.map { String(cString: $0) } ?? ""
    }

    /// A copy of the characters, in the room, valid during the call. An observer written in C must not
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
