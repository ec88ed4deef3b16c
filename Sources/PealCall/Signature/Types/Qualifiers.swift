/// The qualifiers of a type.
public struct Qualifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let const = Qualifiers(rawValue: 1)
    public static let volatile = Qualifiers(rawValue: 2)
    public static let restrict = Qualifiers(rawValue: 4)
    public static let atomic = Qualifiers(rawValue: 8)
    public static let nonnull = Qualifiers(rawValue: 16)
    public static let nullable = Qualifiers(rawValue: 32)
    public static let nullableResult = Qualifiers(rawValue: 64)
    public static let nullUnspecified = Qualifiers(rawValue: 128)

    /// Promises about null pointers: peal prints them back, and does not compare them. Of a parameter, `_Nonnull` is
    /// checked where no compiler has seen the argument (`Parameter.isNonnull`).
    public static let nullability: Qualifiers = [.nonnull, .nullable, .nullableResult, .nullUnspecified]

    /// The words in the order in which peal prints them, each followed by a space.
    var prefix: String {
        var words = ""
        if contains(.const) { words += "const " }
        if contains(.volatile) { words += "volatile " }
        if contains(.restrict) { words += "restrict " }
        if contains(.atomic) { words += "_Atomic " }
        if contains(.nonnull) { words += "_Nonnull " }
        if contains(.nullable) { words += "_Nullable " }
        if contains(.nullableResult) { words += "_Nullable_result " }
        if contains(.nullUnspecified) { words += "_Null_unspecified " }
        return words
    }
}
