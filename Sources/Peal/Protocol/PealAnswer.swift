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
/// Observers return a value of the type inside. Broadcasters collect, fold or gather the results, or name a policy. Declare it
/// also for a method that C defines with the policy `all`, `collect` or `fold`, or with one that does not matter.
public enum Each<Answer: PealValue>: PealAnswer {}

/// A policy that makes one result of the observers' results: what a declaration or a call may name.
public struct SinglePolicy: Hashable, Sendable {
    /// The policy.
    public let policy: Policy

    /// The first that is true; the rest is not called.
    public static let firstTrue = SinglePolicy(policy: .firstTrue)
    /// The first that is not zero; the rest is not called.
    public static let firstNonzero = SinglePolicy(policy: .firstNonzero)
    /// The last one.
    public static let last = SinglePolicy(policy: .last)
    /// Their sum, which stays at its type's ends.
    public static let sum = SinglePolicy(policy: .sum)
    /// The least.
    public static let min = SinglePolicy(policy: .min)
    /// The greatest.
    public static let max = SinglePolicy(policy: .max)
    /// True if one is true; all are called.
    public static let any = SinglePolicy(policy: .any)
    /// True if all are true; all are called.
    public static let every = SinglePolicy(policy: .every)
    /// Each becomes the first parameter of its type in the next call.
    public static let chain = SinglePolicy(policy: .chain)
    /// Each becomes the named parameter in the next call.
    public static func chainThrough(_ parameter: String) -> SinglePolicy {
        SinglePolicy(policy: .chainThrough(parameter))
    }
}

extension SinglePolicy {
    /// Refused: it makes no single result.
    @available(
        *, unavailable, message: "declare the result as Each<…> without a policy, and collect or fold the results"
    )
    public static var collect: SinglePolicy { SinglePolicy(policy: .collect) }

    /// Refused: it makes no single result.
    @available(
        *, unavailable, message: "declare the result as Each<…> without a policy, and collect or fold the results"
    )
    public static var fold: SinglePolicy { SinglePolicy(policy: .fold) }

    /// Refused: it makes no result.
    @available(*, unavailable, message: "declare the result as Each<…> without a policy; a broadcast drops the results")
    public static var all: SinglePolicy { SinglePolicy(policy: .all) }
}
