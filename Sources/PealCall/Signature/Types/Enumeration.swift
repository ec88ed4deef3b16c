/// An enum: its name, and the integer type that carries it.
public struct Enumeration: Sendable {
    public struct Constant: Equatable, Sendable {
        public let name: String
        public let value: Int128
    }

    /// The tag, or the typedef name of an enum without a tag. Empty where there is neither.
    public let name: String
    public let isTagged: Bool
    public let underlying: Scalar
    /// Empty where the enum was used before it was declared.
    public let constants: [Constant]

    /// An enum of which only the tag is known has the type that gcc and clang give to an enum without negative values.
    static func undeclared(_ tag: String) -> Enumeration {
        Enumeration(name: tag, isTagged: true, underlying: .unsignedInt, constants: [])
    }

    /// The choice of gcc and clang: an unsigned type without negative values, and `long` if `int` is too small. nil if
    /// no integer type can represent all values.
    static func customaryType(of constants: [Constant]) -> Scalar? {
        let least = constants.map { $0.value }.min() ?? 0
        let greatest = constants.map { $0.value }.max() ?? 0
        let candidates: [Scalar] = least < 0 ? [.int, .long] : [.unsignedInt, .unsignedLong]
        return candidates.first { $0.range.contains(least) && $0.range.contains(greatest) }
    }

    func named(_ typedefName: String) -> Enumeration {
        Enumeration(name: typedefName, isTagged: false, underlying: underlying, constants: constants)
    }
}
