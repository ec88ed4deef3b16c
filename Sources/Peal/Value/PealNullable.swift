/// A value that has an optional in C: pointers and strings, of which NULL is `nil`, and numbers, which become a pointer
/// to a constant number, or NULL.
public protocol PealNullable: SendableMetatype {
    /// The representation of the optional in memory, which is that of the C type's value.
    associatedtype Nullable: BitwiseCopyable

    /// The C type of the optional.
    static var nullableType: CType { get }

    /// True if the optional's own bytes are its representation.
    static var isItsOwnNullable: Bool { get }

    /// The representation of `nil`.
    static var null: Nullable { get }

    /// The value of a representation from C, `nil` for NULL.
    static func optional(_ nullable: Nullable) -> Self?

    /// The representation, as ``PealValue/cValue(in:)``.
    func nullable(in room: inout ArgumentRoom) -> Nullable

    /// As ``PealParameter/refusal``.
    var refusal: PealError? { get }
}

extension Optional: PealParameter, PealAnswer where Wrapped: PealNullable {
    /// Itself.
    public typealias Answer = Self
}

extension Optional: PealValue where Wrapped: PealNullable {
    /// The wrapped type's own.
    public static var cType: CType { Wrapped.nullableType }

    /// As the wrapped type declares.
    public static var isItsOwnRepresentation: Bool { Wrapped.isItsOwnNullable }

    /// `nil` for NULL.
    @inlinable @inline(__always)
    public init(cValue: Wrapped.Nullable) { self = Wrapped.optional(cValue) }

    /// NULL for `nil`.
    @inlinable @inline(__always)
    public func cValue(in room: inout ArgumentRoom) -> Wrapped.Nullable {
        if let self { self.nullable(in: &room) } else { Wrapped.null }
    }

    /// The wrapped value's.
    public var refusal: PealError? { self?.refusal }
}

extension PealNullable where Self: PealResult, Nullable == UnsafePointer<CValue>? {
    /// A pointer to the constant C type.
    public static var nullableType: CType { .optional(cType) }

    /// `false`.
    public static var isItsOwnNullable: Bool { false }

    /// NULL.
    @inlinable
    public static var null: UnsafePointer<CValue>? { nil }

    /// A copy of the pointed-to value.
    @inlinable
    public static func optional(_ nullable: UnsafePointer<CValue>?) -> Self? {
        nullable.map { Self(cValue: $0.pointee) }
    }

    /// A pointer to the value, in the room.
    @inlinable
    public func nullable(in room: inout ArgumentRoom) -> UnsafePointer<CValue>? {
        let pointer = room.allocate(byteCount: MemoryLayout<CValue>.stride, alignment: MemoryLayout<CValue>.alignment)
        guard let pointer else { return nil }
        pointer.storeBytes(of: cValue, as: CValue.self)
        return UnsafePointer(pointer.assumingMemoryBound(to: CValue.self))
    }
}

/// A value whose optional an observer may return.
public protocol PealNullableResult: PealNullable {
    /// The representation, which needs no room.
    var returned: Nullable { get }
}

extension Optional: PealResult where Wrapped: PealNullableResult {
    /// NULL for `nil`.
    @inlinable @inline(__always)
    public var cValue: Wrapped.Nullable { if let self { self.returned } else { Wrapped.null } }
}

/// A pointer. Declare it as an optional, since any pointer of C may be NULL: `UnsafeRawPointer?`.
public protocol PealPointer: PealNullableResult, BitwiseCopyable where Nullable == Self? {
    /// The C type.
    static var cType: CType { get }
}

extension PealPointer {
    /// The pointer's.
    public static var nullableType: CType { cType }

    /// `true`.
    public static var isItsOwnNullable: Bool { true }

    /// NULL.
    @inlinable @inline(__always)
    public static var null: Self? { nil }

    /// The same.
    @inlinable @inline(__always)
    public static func optional(_ nullable: Self?) -> Self? { nullable }

    /// The same.
    @inlinable @inline(__always)
    public func nullable(in room: inout ArgumentRoom) -> Self? { self }

    /// The same.
    @inlinable @inline(__always)
    public var returned: Self? { self }

    /// Nothing.
    public var refusal: PealError? { nil }
}
