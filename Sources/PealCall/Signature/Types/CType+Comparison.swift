/// How strictly two types are compared.
enum ComparisonRule {
    /// A name that was never declared differs from everything but itself.
    case strict
    /// A name that was never declared agrees with a typedef of that name: one text used it before its declaration and
    /// the other after. This rule is not transitive, so `==` does not use it.
    case declaredLater
}

extension CType: Equatable {
    /// Returns true if C calls the types compatible. The spelling and the names of members and parameters do not count.
    public static func == (left: CType, right: CType) -> Bool {
        left.matches(right, by: .strict)
    }

    /// Qualifiers of the outermost type are not compared: a copy has none.
    func matches(_ other: CType, by rule: ComparisonRule) -> Bool {
        CType.compare(self, other, isPointee: false, rule)
    }

    private static func compare(
        _ left: CType, _ right: CType, isPointee: Bool, _ rule: ComparisonRule
    ) -> Bool {
        if rule == .declaredLater, isPointee, let name = opaqueName(left, right) {
            return left.spellsName(name) && right.spellsName(name)
        }
        switch (left.unaliased, right.unaliased) {
        case (.void, .void): return true
        case (.scalar(let a), .scalar(let b)): return a == b
        case (.opaque(let a), .opaque(let b)): return a == b
        case (.handle(let a), .handle(let b)): return a == b
        case (.enumeration(let a), .enumeration(let b)):
            guard a.name == b.name, a.isTagged == b.isTagged else { return false }
            return a.underlying == b.underlying || (isPointee && !a.name.isEmpty)
        case (.pointer(let a), .pointer(let b)):
            return compare(a, b, isPointee: true, rule)
        case (.array(let a, let count), .array(let b, let otherCount)):
            return count == otherCount && compare(a, b, isPointee: isPointee, rule)
        case (.function(let a), .function(let b)): return compare(a, b, rule)
        case (.structure(let a), .structure(let b)):
            return compare(a, b, isPointee: isPointee, rule)
        default: return false
        }
    }

    fileprivate static func compare(
        _ left: QualifiedType, _ right: QualifiedType, isPointee: Bool, _ rule: ComparisonRule
    ) -> Bool {
        if rule == .declaredLater, opaqueName(left.type, right.type) != nil {
            return left.qualifiers.agree(with: right.qualifiers)
                && compare(left.type, right.type, isPointee: isPointee, rule)
        }
        return left.unaliased.qualifiers.agree(with: right.unaliased.qualifiers)
            && compare(left.unaliased.type, right.unaliased.type, isPointee: isPointee, rule)
    }

    /// All parts of a function type are compared as pointed-to types, because a pointer refers to the function.
    private static func compare(_ left: FunctionType, _ right: FunctionType, _ rule: ComparisonRule) -> Bool {
        guard left.isVariadic == right.isVariadic, left.parameters.count == right.parameters.count,
            compare(left.result.type, right.result.type, isPointee: true, rule)
        else { return false }
        for (a, b) in zip(left.parameters, right.parameters)
        where !compare(a.type, b.type, isPointee: true, rule) {
            return false
        }
        return true
    }

    private static func compare(
        _ left: Structure, _ right: Structure, isPointee: Bool, _ rule: ComparisonRule
    ) -> Bool {
        guard left.kind == right.kind, left.name == right.name, left.isTagged == right.isTagged else { return false }
        if isPointee, !left.name.isEmpty { return true }
        guard let a = left.body, let b = right.body else { return left.body == nil && right.body == nil }
        guard a.members.count == b.members.count else { return false }
        for (first, second) in zip(a.members, b.members)
        where !compare(first.type, second.type, isPointee: false, rule) {
            return false
        }
        return true
    }

    private static func opaqueName(_ left: CType, _ right: CType) -> String? {
        if case .opaque(let name) = left { return name }
        if case .opaque(let name) = right { return name }
        return nil
    }

    private func spellsName(_ name: String) -> Bool {
        switch self {
        case .opaque(let own): own == name
        case .alias(let alias): alias.name == name
        default: false
        }
    }
}

extension Qualifiers {
    fileprivate func agree(with other: Qualifiers) -> Bool {
        subtracting(.nullability) == other.subtracting(.nullability)
    }
}

extension QualifiedType: Equatable {
    public static func == (left: QualifiedType, right: QualifiedType) -> Bool {
        left.matches(right, by: .strict)
    }

    func matches(_ other: QualifiedType, by rule: ComparisonRule) -> Bool {
        CType.compare(self, other, isPointee: false, rule)
    }
}
