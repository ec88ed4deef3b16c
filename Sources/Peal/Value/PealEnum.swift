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
