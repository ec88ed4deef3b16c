/// The first difference between two declarations of one name, in words for a message. The names of members count here,
/// as in C.
extension TypeScope.Tag {
    /// Both must be of one kind. An announced struct differs from nothing.
    func firstDifference(from other: TypeScope.Tag) -> String? {
        switch (self, other) {
        case (.structure(let first?, _), .structure(let second?, _)): first.firstDifference(from: second)
        case (.enumeration(let first), .enumeration(let second)): first.firstDifference(from: second)
        default: nil
        }
    }
}

extension StructureBody {
    func firstDifference(from other: StructureBody) -> String? {
        for (index, (first, second)) in zip(members, other.members).enumerated() {
            let location = "member \(index + 1)"
            guard first.name == second.name else {
                return "\(location) is \(first.title) in the first and \(second.title) in the second"
            }
            if !first.type.matches(second.type, by: .declaredLater) {
                return "\(location) \(first.title) is "
                    + QualifiedType.contrast(first.type, second.type)
            }
            if let inner = first.type.unnamedBody, let otherInner = second.type.unnamedBody,
                let difference = inner.firstDifference(from: otherInner)
            {
                return "\(difference), in \(location)"
            }
        }
        guard members.count != other.members.count else { return nil }
        return "the first has \(members.count) members and the second \(other.members.count)"
    }
}

extension StructureBody.Member {
    fileprivate var title: String { name.map { "'\($0)'" } ?? "a struct without a name" }
}

extension QualifiedType {
    /// The members of a struct without a name. A struct with a name was compared when it was declared.
    fileprivate var unnamedBody: StructureBody? {
        switch unaliased.type {
        case .structure(let structure) where structure.name.isEmpty: structure.body
        case .array(let element, _): element.unnamedBody
        default: nil
        }
    }

    /// `int in the first and long in the second`; where the spellings agree, their types.
    static func contrast(_ first: QualifiedType, _ second: QualifiedType) -> String {
        var (one, two) = (first.declaration(of: ""), second.declaration(of: ""))
        if one == two { (one, two) = (first.fullSpelling, second.fullSpelling) }
        return "\(one) in the first and \(two) in the second"
    }

    private var fullSpelling: String {
        let plain = unaliased
        if case .structure(let structure) = plain.type, structure.body != nil {
            let word = structure.isTagged ? structure.spelling : structure.kind.word
            return plain.qualifiers.prefix + word + " " + structure.bodySpelling
        }
        if case .enumeration(let enumeration) = plain.type {
            return plain.qualifiers.prefix + "\(enumeration.spelling) (\(enumeration.underlying.spelling))"
        }
        return plain.declaration(of: "")
    }
}

extension Enumeration {
    /// An enum that has no enumerators yet can differ only in its integer type.
    func firstDifference(from other: Enumeration) -> String? {
        if !constants.isEmpty, !other.constants.isEmpty {
            for (first, second) in zip(constants, other.constants) where first != second {
                return "'\(first.name)' is \(first.value) in the first, and the second has"
                    + " '\(second.name)', \(second.value)"
            }
            if constants.count != other.constants.count {
                return "the first has \(constants.count) enumerators and the second \(other.constants.count)"
            }
        }
        guard underlying != other.underlying else { return nil }
        return "it is \(underlying.spelling) in the first and \(other.underlying.spelling) in the second"
    }
}

extension Alias {
    func firstDifference(from other: Alias) -> String? {
        let (first, second) = (target.unaliased, other.target.unaliased)
        guard target.matches(other.target, by: .declaredLater) else {
            return "it is " + QualifiedType.contrast(target, other.target)
        }
        switch (first.type, second.type) {
        case (.structure(let a), .structure(let b)) where !a.isTagged:
            guard let body = a.body, let otherBody = b.body else { return nil }
            return body.firstDifference(from: otherBody)
        case (.enumeration(let a), .enumeration(let b)): return a.firstDifference(from: b)
        default: return nil
        }
    }
}
