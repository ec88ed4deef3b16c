public import CPeal

/// The rule that makes one result of the observers' results. `enum peal_policy` in C.
public enum Policy: Hashable, Sendable {
    /// Discards all results.
    case all
    /// The first result that is true; later observers are not called.
    case firstTrue
    /// The first result that is not zero; later observers are not called.
    case firstNonzero
    /// The last result.
    case last
    /// The sum of all results; integer sums saturate.
    case sum
    /// The least result.
    case min
    /// The greatest result.
    case max
    /// True if one result is true; all observers are called.
    case any
    /// True if all results are true; all observers are called.
    case every
    /// All results, in order.
    case collect
    /// Each result becomes the first parameter of its type in the next call.
    case chain
    /// Each result becomes the named parameter in the next call.
    case chainThrough(String)
    /// The broadcaster's own function decides.
    case fold

    /// The policy as the option of a method's text.
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

    /// The policy in the C interface.
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

    /// The policy in the information about a method.
    init(_ info: peal_method_info, of method: peal_method) throws(PealError) {
        guard info.policy != PEAL_POLICY_CHAIN else {
            let index = info.chained_parameter &- 1
            let name = try CStrings.copied { Status(peal_method_parameter_name(method, index, $0, $1, $2)) }
            self = name.isEmpty ? .chain : .chainThrough(name)
            return
        }
        let plain: [Policy] = [
            .all, .firstTrue, .firstNonzero, .last, .sum, .min, .max, .any, .every, .collect, .fold,
        ]
        self = plain.first { $0.cValue == info.policy } ?? .all
    }
}

/// The effect of a broadcast of a method inside a callback of the same method.
public enum Recursion: Hashable, Sendable {
    /// A nested broadcast runs at once.
    case recursive
    /// A nested broadcast runs when the outer one has ended, with a copy of its arguments.
    case deferred
    /// A nested broadcast is refused with ``Status/recursion``.
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

/// The result of a method: a value, which its policy makes of the observers' results, or ``Each``.
public protocol PealAnswer: SendableMetatype {
    /// The result of one observer.
    associatedtype Answer: PealValue
}

/// The result of a method without a policy: that of each observer.
///
///     static let names = Method<Each<String>>("names")
///
///     let names = try center.collect(Plugin.names)
///     let votes = try center.method(Plugin.votes).using(.sum).ask()
///
/// Observers return a value of the type `Answer`. Broadcasters collect, fold or gather the results, or name a policy.
/// Declare ``Each`` also for a method that C defines with the policy `all`, `collect` or `fold`, or with a policy that
/// does not matter.
public enum Each<Answer: PealValue>: PealAnswer {}

/// A policy that makes one result of the observers' results. A declaration or a call names it.
public struct SinglePolicy: Hashable, Sendable {
    /// The policy.
    public let policy: Policy

    /// The first result that is true; later observers are not called.
    public static let firstTrue = SinglePolicy(policy: .firstTrue)
    /// The first result that is not zero; later observers are not called.
    public static let firstNonzero = SinglePolicy(policy: .firstNonzero)
    /// The last result.
    public static let last = SinglePolicy(policy: .last)
    /// The sum of all results; integer sums saturate.
    public static let sum = SinglePolicy(policy: .sum)
    /// The least result.
    public static let min = SinglePolicy(policy: .min)
    /// The greatest result.
    public static let max = SinglePolicy(policy: .max)
    /// True if one result is true; all observers are called.
    public static let any = SinglePolicy(policy: .any)
    /// True if all results are true; all observers are called.
    public static let every = SinglePolicy(policy: .every)
    /// Each result becomes the first parameter of its type in the next call.
    public static let chain = SinglePolicy(policy: .chain)
    /// Each result becomes the named parameter in the next call.
    public static func chainThrough(_ parameter: String) -> SinglePolicy {
        SinglePolicy(policy: .chainThrough(parameter))
    }
}

extension SinglePolicy {
    /// Unavailable, because this policy makes no single result.
    @available(
        *, unavailable, message: "declare the result as Each<…> without a policy, and collect or fold the results"
    )
    public static var collect: SinglePolicy { SinglePolicy(policy: .collect) }

    /// Unavailable, because this policy makes no single result.
    @available(
        *, unavailable, message: "declare the result as Each<…> without a policy, and collect or fold the results"
    )
    public static var fold: SinglePolicy { SinglePolicy(policy: .fold) }

    /// Unavailable, because this policy makes no result.
    @available(*, unavailable, message: "declare the result as Each<…> without a policy; a broadcast drops the results")
    public static var all: SinglePolicy { SinglePolicy(policy: .all) }
}

/// The calls that a method without a result keeps. An observer that is registered later gets them once, and never after
/// newer calls. In C: the options `sticky` and `sticky(name)`; `peal_method_clear_last_call` ends kept calls.
public enum Sticky: Hashable, Sendable {
    /// The last call.
    case last
    /// The last call for each value of the parameter with this name.
    case lastForEach(String)

    /// The option of a method's text.
    var text: String {
        switch self {
        case .last: "sticky"
        case .lastForEach(let name): "sticky(\(name))"
        }
    }
}
