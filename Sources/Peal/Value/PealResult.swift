/// A value that an observer may return: one that needs no other memory, which would be freed too early, and a string, which
/// peal keeps.
///
/// C does not count the references to a returned `const char *`. So each distinct string that observers return stays allocated
/// until the process ends, up to its first zero. Return names, states and other texts of a small set; pass others to the
/// broadcaster as an argument of a call of its own. An observer that returns an `UnsafePointer<CChar>?` must keep the characters,
/// and so must a function of C: it must not return the pointer of a `String` argument.
public protocol PealResult: PealValue {
    /// The representation.
    var cValue: CValue { get }
}

extension PealResult {
    /// The representation, which needs no room.
    @inlinable @inline(__always)
    public func cValue(in room: inout ArgumentRoom) -> CValue { cValue }
}

/// A value that is its own representation: the bytes of Swift's are those of C's.
public protocol PealPlainValue: PealResult where CValue == Self {}

extension PealPlainValue {
    /// `true`.
    public static var isItsOwnRepresentation: Bool { true }

    /// The same.
    @inlinable @inline(__always)
    public init(cValue: Self) { self = cValue }

    /// The same.
    @inlinable @inline(__always)
    public var cValue: Self { self }
}
