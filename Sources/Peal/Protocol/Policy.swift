public import CPeal

/// The rule that makes one result of the observers' results. `enum peal_policy` in C.
public enum Policy: Hashable, Sendable {
    /// They are dropped.
    case all
    /// The first that is true; the rest is not called.
    case firstTrue
    /// The first that is not zero; the rest is not called.
    case firstNonzero
    /// The last one.
    case last
    /// Their sum, which stays at its type's ends.
    case sum
    /// The least.
    case min
    /// The greatest.
    case max
    /// True if one is true; all are called.
    case any
    /// True if all are true; all are called.
    case every
    /// All of them, in order.
    case collect
    /// Each becomes the first parameter of its type in the next call.
    case chain
    /// Each becomes the named parameter in the next call.
    case chainThrough(String)
    /// The broadcaster's own function decides.
    case fold

    /// As the option of a method's text.
    var text: String {
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
        case .chain: "chain"
        case .chainThrough(let parameter): "chain(\(parameter))"
        case .fold: "fold"
        }
    }

    /// As the C interface has it.
    @usableFromInline
    var cValue: peal_policy {
        switch self {
        case .all: PEAL_POLICY_ALL
        case .firstTrue: PEAL_POLICY_FIRST_TRUE
        case .firstNonzero: PEAL_POLICY_FIRST_NONZERO
        case .last: PEAL_POLICY_LAST
        case .sum: PEAL_POLICY_SUM
        case .min: PEAL_POLICY_MIN
        case .max: PEAL_POLICY_MAX
        case .any: PEAL_POLICY_ANY
        case .every: PEAL_POLICY_EVERY
        case .collect: PEAL_POLICY_COLLECT
        case .chain, .chainThrough: PEAL_POLICY_CHAIN
        case .fold: PEAL_POLICY_FOLD
        }
    }

    /// The policy of an option in a method's text; `nil` for an option that is no policy.
    init?(text: some StringProtocol) {
        let plain: [Policy] = [
            .all, .firstTrue, .firstNonzero, .last, .sum, .min, .max, .any, .every, .collect, .chain, .fold,
        ]
        if let policy = plain.first(where: { $0.text == text }) {
            self = policy
        } else if text.hasPrefix("chain("), text.hasSuffix(")") {
            self = .chainThrough(String(text.dropFirst(6).dropLast()))
        } else {
            return nil
        }
    }
}

/// The effect of a broadcast of a method inside a callback of the same method.
public enum Recursion: Hashable, Sendable {
    /// It runs at once.
    case recursive
    /// It runs when the outer one has ended, with a copy of its arguments.
    case deferred
    /// It is refused: ``Status/recursion``.
    case rejected

    /// The option of a method's text; empty for the default.
    var text: String? {
        switch self {
        case .recursive: nil
        case .deferred: "defer"
        case .rejected: "reject"
        }
    }
}
