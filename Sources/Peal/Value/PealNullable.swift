/// A value whose C type has NULL, which is `nil` in Swift: pointers and strings.
public protocol PealNullable: SendableMetatype {
    /// The representation in memory, which is that of the C type's value.
    associatedtype CValue: BitwiseCopyable

    /// The C type.
    static var cType: CType { get }

    /// True if the optional's own bytes are its representation.
    static var isItsOwnRepresentation: Bool { get }

    /// The representation of `nil`.
    static var null: CValue { get }

    /// The value of what came from C, `nil` for NULL.
    static func optional(cValue: CValue) -> Self?

    /// The representation, as ``PealValue/cValue(in:)``.
    func cValue(in room: inout ArgumentRoom) -> CValue

    /// As ``PealValue/refusal``.
    var refusal: PealError? { get }
}

extension Optional: PealAnswer where Wrapped: PealNullable {
    /// Itself.
    public typealias Answer = Self
}

extension Optional: PealValue where Wrapped: PealNullable {
    /// The wrapped type's own.
    public static var cType: CType { Wrapped.cType }

    /// As the wrapped type declares.
    public static var isItsOwnRepresentation: Bool { Wrapped.isItsOwnRepresentation }

    /// `nil` for NULL.
    @inlinable @inline(__always)
    public init(cValue: Wrapped.CValue) { self = Wrapped.optional(cValue: cValue) }

    /// NULL for `nil`.
    @inlinable @inline(__always)
    public func cValue(in room: inout ArgumentRoom) -> Wrapped.CValue {
        if let self { self.cValue(in: &room) } else { Wrapped.null }
    }

    /// The wrapped value's.
    public var refusal: PealError? { self?.refusal }
}

extension Optional: PealResult where Wrapped: PealPointer {
    /// NULL for `nil`.
    @inlinable @inline(__always)
    public var cValue: Wrapped? { self }
}

/// A pointer. Declare it as an optional, since any pointer of C may be NULL: `UnsafeRawPointer?`.
public protocol PealPointer: PealNullable, BitwiseCopyable where CValue == Self? {}

extension PealPointer {
    /// `true`.
    public static var isItsOwnRepresentation: Bool { true }

    /// NULL.
    @inlinable @inline(__always)
    public static var null: Self? { nil }

    /// The same.
    @inlinable @inline(__always)
    public static func optional(cValue: Self?) -> Self? { cValue }

    /// The same.
    @inlinable @inline(__always)
    public func cValue(in room: inout ArgumentRoom) -> Self? { self }

    /// Nothing.
    public var refusal: PealError? { nil }
}
