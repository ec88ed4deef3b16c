/// Lists of parameters that methods were declared with lately. Methods with identical lists share the memory of one.
///
/// A later list replaces an earlier one with the same place, so the number of kept lists is limited.
public struct KnownParameters: Sendable {
    private var lists: [[Parameter]] = []

    private static let most = 64

    public init() {}

    /// The declaration, with the parameters of an earlier one if both are identical.
    public mutating func share(_ declaration: MethodDeclaration) -> MethodDeclaration {
        let parameters = declaration.signature.parameters
        guard !parameters.isEmpty else { return declaration }
        if lists.isEmpty { lists = Array(repeating: [], count: Self.most) }
        let index = Self.index(of: parameters)
        guard lists[index].elementsEqual(parameters, by: { $0.isIdentical(to: $1) }) else {
            lists[index] = parameters
            return declaration
        }
        return declaration.with(parameters: lists[index])
    }

    private static func index(of parameters: [Parameter]) -> Int {
        var hasher = Hasher()
        for parameter in parameters {
            hasher.combine(parameter.name)
            hasher.combine(parameter.shape)
        }
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(most))
    }
}

extension Parameter {
    /// Returns true if no text about the parameters can differ. Unlike `==`, this compares names and spellings too.
    fileprivate func isIdentical(to other: Parameter) -> Bool {
        name == other.name && nullability == other.nullability && ownership == other.ownership
            && type.isIdentical(to: other.type)
    }
}

extension CType {
    /// Returns true if both types have one spelling and one meaning. Returns false for types with members, even if they
    /// are equal.
    fileprivate func isIdentical(to other: CType) -> Bool {
        switch (self, other) {
        case (.void, .void): true
        case (.scalar(let one), .scalar(let two)): one == two
        case (.handle(let one), .handle(let two)): one == two
        case (.opaque(let one), .opaque(let two)): one == two
        case (.alias(let one), .alias(let two)): one === two
        case (.pointer(let one), .pointer(let two)):
            one.qualifiers == two.qualifiers && one.type.isIdentical(to: two.type)
        default: false
        }
    }
}
