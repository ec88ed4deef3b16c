/// A type whose values go from Swift to C and back, as arguments and results of methods.
///
/// There are the numbers, `Bool`, `String`, pointers as optionals, and what conforms to ``PealStruct`` and
/// ``PealEnum``; few programs conform to this protocol itself.
///
/// A value has a C type as text, and a representation that has the bytes of that C type. What the
/// representation points to lies beside it: ``lengthBeside()`` tells how many bytes that takes, and
/// ``cValue(beside:)`` fills them. They are valid as long as the call runs.
public protocol PealValue: SendableMetatype {
    /// What lies in memory as the C type's value does.
    associatedtype CValue: BitwiseCopyable

    /// The C type: `int32_t` for `Int32`.
    static var cType: CType { get }

    /// The value of what came from C. What it points to is copied: it may be gone after the call.
    init(cValue: CValue)

    /// The representation. What it points to is written into `room`, which has as many bytes as
    /// ``lengthBeside()`` said.
    func cValue(beside room: UnsafeMutableRawPointer) -> CValue

    /// How many bytes the value needs beside its representation; 0 unless it points to something of its own.
    ///
    /// - Throws: ``PealError`` for a value that C cannot have, such as a string with a zero inside.
    func lengthBeside() throws(PealError) -> Int
}

extension PealValue {
    /// None.
    @inlinable @inline(__always)
    public func lengthBeside() throws(PealError) -> Int { 0 }
}

/// A value that an observer may give back: one that needs nothing beside it, which would be gone too early.
///
/// A string is none. A method that returns `const char *` has the result `UnsafePointer<CChar>?` for its
/// observers, and whoever gives one back keeps the characters.
public protocol PealResult: PealValue {}

/// A value that is its own representation: the bytes of Swift's are those of C's.
public protocol PealPlainValue: PealResult, BitwiseCopyable where CValue == Self {}

extension PealPlainValue {
    /// The same.
    @inlinable @inline(__always)
    public init(cValue: Self) { self = cValue }

    /// The same.
    @inlinable @inline(__always)
    public func cValue(beside room: UnsafeMutableRawPointer) -> Self { self }
}
