/// A type where its qualifiers matter: pointed to, in an array, as a member.
public struct QualifiedType: Sendable {
    public var type: CType
    public var qualifiers: Qualifiers

    public init(_ type: CType, _ qualifiers: Qualifiers = []) {
        self.type = type
        self.qualifiers = qualifiers
    }

    /// The type with its typedefs followed; their qualifiers are added up. In C the qualifiers of
    /// an array are those of its elements, so they are moved there.
    public var unaliased: QualifiedType {
        var result = self
        while case .alias(let alias) = result.type {
            result = QualifiedType(alias.target.type, alias.target.qualifiers.union(result.qualifiers))
        }
        if case .array(let element, let count) = result.type, !result.qualifiers.isEmpty {
            let qualified = QualifiedType(element.type, element.qualifiers.union(result.qualifiers))
            return QualifiedType(.array(of: qualified, count: count))
        }
        return result
    }
}
