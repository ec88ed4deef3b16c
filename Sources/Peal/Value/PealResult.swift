/// A value that an observer may return: one that needs no other memory, which would be freed too early.
///
/// A string is no such value. A method that returns `const char *` has the result `UnsafePointer<CChar>?` for its
/// observers, and an observer that returns one must keep the characters: those of a string that was made, or lent, for
/// the call are freed before the broadcaster reads them. The same applies to functions of C: a function that Swift
/// calls with a `String` must not return that pointer.
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
