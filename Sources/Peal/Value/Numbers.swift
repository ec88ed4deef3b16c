extension Int8: PealPlainValue {
    /// `int8_t`.
    public static var cType: CType { CType("int8_t") }
}

extension Int16: PealPlainValue {
    /// `int16_t`.
    public static var cType: CType { CType("int16_t") }
}

extension Int32: PealPlainValue {
    /// `int32_t`.
    public static var cType: CType { CType("int32_t") }
}

extension Int64: PealPlainValue {
    /// `int64_t`.
    public static var cType: CType { CType("int64_t") }
}

extension UInt8: PealPlainValue {
    /// `uint8_t`.
    public static var cType: CType { CType("uint8_t") }
}

extension UInt16: PealPlainValue {
    /// `uint16_t`.
    public static var cType: CType { CType("uint16_t") }
}

extension UInt32: PealPlainValue {
    /// `uint32_t`.
    public static var cType: CType { CType("uint32_t") }
}

extension UInt64: PealPlainValue {
    /// `uint64_t`.
    public static var cType: CType { CType("uint64_t") }
}

extension Int: PealPlainValue {
    /// `long`. Takes `size_t` and `ptrdiff_t` too, as Swift's importer has them.
    public static var cType: CType { CType("long") }
}

extension UInt: PealPlainValue {
    /// `unsigned long`. Takes `size_t` too.
    public static var cType: CType { CType("unsigned long") }
}

extension Float: PealPlainValue {
    /// `float`.
    public static var cType: CType { CType("float") }
}

extension Double: PealPlainValue {
    /// `double`.
    public static var cType: CType { CType("double") }
}

extension Bool: PealResult {
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
extension Float80: PealPlainValue {
    /// `long double`.
    public static var cType: CType { CType("long double") }
}
#endif
