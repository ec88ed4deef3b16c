/// A value that an observer may give back: one that needs nothing beside it, which would be gone too early.
///
/// A string is none. A method that returns `const char *` has the result `UnsafePointer<CChar>?` for its
/// observers, and whoever gives one back keeps the characters: those of a string that was made, or lent, for the call
/// are gone when the broadcaster reads them. The same holds for functions of C: one that Swift calls with a `String`
/// must not return that pointer.
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
