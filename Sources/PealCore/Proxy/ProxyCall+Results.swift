internal import CPealSupport
import PealCall

/// What calls of both kinds share: one result of many, and failures.
extension ProxyCall {
    /// The policy, where observers are simply called and each result stands for itself; nil in a chain, and for
    /// a list of another method.
    static func simplePolicy(of list: Broadcast.List, _ method: UInt64) -> BroadcastPolicy? {
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        guard peal_snapshot_method(list) == method, !traits.needsCloserLook else { return nil }
        let policy = traits.policy
        return policy == .chain ? nil : policy
    }

    @inline(__always)
    static func folder(
        _ policy: BroadcastPolicy, _ list: Broadcast.List, into result: UnsafeMutableRawPointer
    ) -> ResultFolder {
        ResultFolder(
            policy: policy, plan: peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self),
            request: BroadcastRequest(result: result), chained: nil)
    }

    static func fail(_ failure: Failure) { ProxyFailures.note(failure) }
    static func fail(_ failure: Failure) -> Bool {
        ProxyFailures.note(failure)
        return false
    }
    static func fail(_ failure: Failure) -> UInt64 {
        ProxyFailures.note(failure)
        return 0
    }
}
