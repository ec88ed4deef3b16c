/// A value that an observer may return: one that needs no other memory, which would be freed too early, and a string,
/// which peal keeps.
///
/// C does not count the references to a returned `const char *`. So each distinct string that observers return stays
/// allocated until the process ends, up to its first zero. Return names, states and other texts of a small set; pass
/// others to the broadcaster as an argument of a call of its own. An observer that returns an `UnsafePointer<CChar>?`
/// must keep the characters, and so must a function of C: it must not return the pointer of a `String` argument.
public protocol PealResult: PealValue {
    /// The representation.
    var cValue: CValue { get }
}

extension PealResult {
    /// The representation, which needs no room.
    @inlinable @inline(__always)
    public func cValue(in room: inout ArgumentRoom) -> CValue { cValue }
}

/// A value that is its own representation: the bytes of the Swift value are the bytes of the C value.
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

/// An enumeration whose raw values are C integers.
///
///     enum Presence: Int32, PealEnum {
///         case offline, online, away
///         static let unknown = Presence.offline
///     }
///
/// An enumeration that C declares is imported with a raw value; give it the same conformance, and the name that
/// it has in C:
///
///     extension color: @retroactive PealEnum {
///         public static var cType: CType { CType("enum color") }
///         public static var unknown: color { RED }
///     }
public protocol PealEnum: PealResult, RawRepresentable where RawValue: PealPlainValue, CValue == RawValue {
    /// The case for numbers that are no case: C may send any.
    static var unknown: Self { get }
}

extension PealEnum {
    /// The C type of the raw values, unless the type declares another.
    public static var cType: CType { RawValue.cType }

    /// The case of a number, or ``unknown``.
    @inlinable
    public init(cValue: RawValue) { self = Self(rawValue: cValue) ?? Self.unknown }

    /// The raw value.
    @inlinable
    public var cValue: RawValue { rawValue }
}
