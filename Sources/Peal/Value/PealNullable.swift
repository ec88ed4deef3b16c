/// A value whose C type has NULL, which is `nil` in Swift: pointers and strings.
public protocol PealNullable: SendableMetatype {
    /// What lies in memory as the C type's value does.
    associatedtype CValue: BitwiseCopyable

    /// The C type.
    static var cType: CType { get }

    /// The representation of `nil`.
    static var null: CValue { get }

    /// The value of what came from C, `nil` for NULL.
    static func optional(cValue: CValue) -> Self?

    /// The representation, as ``PealValue/cValue(beside:)``.
    func cValue(beside room: UnsafeMutableRawPointer) -> CValue

    /// As ``PealValue/lengthBeside()``.
    func lengthBeside() throws(PealError) -> Int
}

extension Optional: PealValue where Wrapped: PealNullable {
    /// The wrapped type's own.
    public static var cType: CType { Wrapped.cType }

    /// `nil` for NULL.
    @inlinable @inline(__always)
    public init(cValue: Wrapped.CValue) { self = Wrapped.optional(cValue: cValue) }

    /// NULL for `nil`.
    @inlinable @inline(__always)
    public func cValue(beside room: UnsafeMutableRawPointer) -> Wrapped.CValue {
        if let self { self.cValue(beside: room) } else { Wrapped.null }
    }

    /// As the wrapped value; 0 for `nil`.
    @inlinable @inline(__always)
    public func lengthBeside() throws(PealError) -> Int {
        if let self { try self.lengthBeside() } else { 0 }
    }
}

extension Optional: PealResult where Wrapped: PealPointer {}

/// A pointer. Declare it as an optional, since any pointer of C may be NULL: `UnsafeRawPointer?`.
public protocol PealPointer: PealNullable, BitwiseCopyable where CValue == Self? {}

extension PealPointer {
    /// NULL.
    @inlinable @inline(__always)
    public static var null: Self? { nil }

    /// The same.
    @inlinable @inline(__always)
    public static func optional(cValue: Self?) -> Self? { cValue }

    /// The same.
    @inlinable @inline(__always)
    public func cValue(beside room: UnsafeMutableRawPointer) -> Self? { self }

    /// None.
    @inlinable @inline(__always)
    public func lengthBeside() throws(PealError) -> Int { 0 }
}
