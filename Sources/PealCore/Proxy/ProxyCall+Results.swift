internal import CPealSupport
import PealCall

/// The common part of calls of both kinds: combined results, and failures.
extension ProxyCall {
    /// The policy, if observers are simply called and each result is combined independently of the next call. nil for a
    /// chain, for `_Nonnull` parameters, and for a list of another method.
    static func simplePolicy(of list: Broadcast.List, _ method: UInt64) -> BroadcastPolicy? {
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        guard peal_snapshot_method(list) == method, !traits.excludesArrayLoops else { return nil }
        let policy = traits.policy
        return policy == .chain ? nil : policy
    }

    /// Calls each observer with a frame, and makes one result.
    ///
    /// - Returns: Nil if the results are combined in another way. Then no observer was called.
    static func fold(
        _ policy: BroadcastPolicy, _ hazard: Broadcast.Hazard, _ list: Broadcast.List, _ words: UnsafePointer<UInt64>
    ) -> ResultWords? {
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        guard let shape = plan.pointee.frame, ResultReplay.takesResults(of: plan) else { return nil }
        let replay = ResultReplay(plan: plan, shape: shape, list: list, hazard: hazard, words: words)
        guard _slowPath(MethodTraits(rawValue: peal_snapshot_traits(list)).isExamined) else {
            return fold(policy, replay)
        }
        return fold(policy, ExaminedReplay(replay))
    }

    @inline(__always)
    private static func fold<Loops: ResultLoops>(_ policy: BroadcastPolicy, _ replay: Loops) -> ResultWords? {
        var replay = replay
        var folded = ResultWords.fold(policy, &replay)
        // If no result counts, the result is zero, except with the policy `every`, which is then true.
        if let calls = folded?.calls, replay.counted(of: calls) == 0, policy != .every { folded?.words = (0, 0) }
        return folded
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
