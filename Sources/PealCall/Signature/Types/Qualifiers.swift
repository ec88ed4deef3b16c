/// What C lets one say of a type beside its kind.
public struct Qualifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let const = Qualifiers(rawValue: 1)
    public static let volatile = Qualifiers(rawValue: 2)
    public static let restrict = Qualifiers(rawValue: 4)
    public static let atomic = Qualifiers(rawValue: 8)

    /// The words in the order in which peal prints them, each followed by a space.
    var prefix: String {
        var words = ""
        if contains(.const) { words += "const " }
        if contains(.volatile) { words += "volatile " }
        if contains(.restrict) { words += "restrict " }
        if contains(.atomic) { words += "_Atomic " }
        return words
    }
}
