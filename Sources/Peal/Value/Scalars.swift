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
