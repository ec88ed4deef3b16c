extension MethodDeclaration: CustomStringConvertible {
    /// The full declaration without defaults. Read again in the same scope it gives an equal one.
    public var description: String {
        var text = "\(requirement) \(signature)"
        if policy != .implied(by: signature.result) { text += ", \(spelling(of: policy))" }
        if since != 1 { text += ", since(\(since))" }
        if recursion != .recursive { text += ", \(recursion)" }
        if isBorrowed { text += ", borrowed" }
        if let sticky { text += ", \(spelling(of: sticky))" }
        return text
    }

    /// The option as text. A key always has a name, because the option names it.
    private func spelling(of sticky: Sticky) -> String {
        guard let name = sticky.keyParameter.flatMap({ signature.parameters[$0].name }) else { return "sticky" }
        return "sticky(\(name))"
    }

    /// The policy as text. It omits a chained parameter that has no name: that is the first that fits, or the policy
    /// was not read from a text.
    private func spelling(of policy: Policy) -> String {
        guard case .chain(let index) = policy, let name = signature.parameters[Int(index)].name else {
            return policy.word
        }
        return "chain(\(name))"
    }

    /// The first thing in which another declaration differs from this one, in words for a message;
    /// nil where they agree. It begins with the method's name.
    public func firstDifference(from other: MethodDeclaration) -> String? {
        difference(from: other).map { "\(signature.name): \($0)" }
    }

    private func difference(from other: MethodDeclaration) -> String? {
        if let difference = signature.firstDifference(from: other.signature) { return difference }
        if requirement != other.requirement { return contrast("\(requirement)", "\(other.requirement)") }
        if policy != other.policy {
            let (one, two) = (spelling(of: policy), other.spelling(of: other.policy))
            return "its policy is \(one) in the first and \(two) in the second"
        }
        if since != other.since { return contrast("since version \(since)", "since version \(other.since)") }
        if recursion != other.recursion {
            return "its recursion is \(recursion) in the first and \(other.recursion) in the second"
        }
        if isBorrowed != other.isBorrowed {
            let words = { (flag: Bool) in flag ? "borrowed" : "not borrowed" }
            return contrast(words(isBorrowed), words(other.isBorrowed))
        }
        if sticky != other.sticky {
            return contrast(
                sticky.map { spelling(of: $0) } ?? "not sticky",
                other.sticky.map { other.spelling(of: $0) } ?? "not sticky")
        }
        return nil
    }

    private func contrast(_ first: String, _ second: String) -> String {
        "it is \(first) in the first and \(second) in the second"
    }
}

extension MethodDeclaration.Policy {
    /// The word of the grammar.
    public var word: String {
        switch self {
        case .all: "all"
        case .firstTrue: "first_true"
        case .firstNonzero: "first_nonzero"
        case .last: "last"
        case .sum: "sum"
        case .min: "min"
        case .max: "max"
        case .any: "any"
        case .every: "every"
        case .collect: "collect"
        case .fold: "fold"
        case .chain: "chain"
        }
    }

    static let simple: [MethodDeclaration.Policy] = [
        .all, .firstTrue, .firstNonzero, .last, .sum, .min, .max, .any, .every, .collect, .fold,
    ]
}

extension MethodDeclaration.Recursion: CustomStringConvertible {
    public var description: String {
        switch self {
        case .recursive: "recursive"
        case .defer: "defer"
        case .reject: "reject"
        }
    }
}

extension MethodDeclaration.Requirement: CustomStringConvertible {
    public var description: String {
        switch self {
        case .required: "required"
        case .optional: "optional"
        }
    }
}
