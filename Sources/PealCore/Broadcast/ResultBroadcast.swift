internal import CPealSupport
import PealCall

/// A broadcast for its results, to observers that are simply called by a register frame. It allocates nothing, and
/// results stay in registers as far as the policy allows.
public enum ResultBroadcast {
    /// Folds the results of a method. Up to four integers and the result stay in registers.
    ///
    /// - Parameter isRequested: True if the caller requests the fold; otherwise it must be the method's policy.
    /// - Returns: False for any other broadcast; then no observer was called.
    @_optimize(speed)
    public static func sendFolding(
        _ id: UInt64, _ arguments: Broadcast.Arguments?, _ count: Int, _ tail: FoldedInteger, isRequested: Bool,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        guard let element = peal_directory_find(id), let hazard = peal_hazard_outermost() else { return false }
        let list = Broadcast.List(peal_hazard_protect_fast(hazard, element, UInt(PEAL_HAZARD_OF_LIBRARY)))
        let called = fold(list, hazard, arguments, count, tail, isRequested, id)
        if let called, let calls { calls.pointee = called }
        Broadcast.release(hazard)
        return called != nil
    }

    @inline(__always)
    private static func fold(
        _ list: Broadcast.List, _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int,
        _ tail: FoldedInteger, _ isRequested: Bool, _ id: UInt64
    ) -> Int? {
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == id, traits.isFoldFastPathEligible(isRequested: isRequested) else {
            return nil
        }
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        guard plan.pointee.resultLocation == .integer, let integers = plan.pointee.integers, integers.count == count
        else { return nil }
        let replay = IntegerReplay(
            PointedIntegers(arguments), MethodTraits(narrow: integers.narrow), to: peal_snapshot_entries(list),
            count: Int(peal_snapshot_count(list)), hazard)
        var tail = tail
        return replay.replay(count, &tail)
    }

    @inline(__always)
    fileprivate static func send<Loops: ResultLoops>(
        _ loops: Loops.Type, _ hazard: Broadcast.Hazard, _ list: Broadcast.List, _ traits: MethodTraits,
        _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ request: UnsafePointer<BroadcastRequest>?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Broadcast.Outcome? {
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        let policy: BroadcastPolicy
        if let requested = request?.pointee.policy {
            guard requested.fits(plan.pointee.resultKind) else { return nil }
            policy = requested
        } else {
            policy = traits.policy
        }
        guard let shape = plan.pointee.frame, plan.pointee.resultKind != .void, ResultReplay.takesResults(of: plan)
        else { return nil }
        var frame = peal_whole_frame_room()
        let outcome = withUnsafeMutablePointer(to: &frame) { frame -> Broadcast.Outcome? in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            if count > 0 {
                guard let arguments, CallPlan.buildFrame(plan, from: arguments, into: words) else { return nil }
            }
            let replay = ResultReplay(plan: plan, shape: shape, list: list, hazard: hazard, words: words)
            return send(policy, Loops(replay), result, request, calls)
        }
        if outcome != nil { Broadcast.release(hazard) }
        return outcome
    }

    @inline(__always)
    fileprivate static func send<Loops: ResultLoops>(
        _ policy: BroadcastPolicy, _ replay: Loops, _ result: UnsafeMutableRawPointer?,
        _ request: UnsafePointer<BroadcastRequest>?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Broadcast.Outcome? {
        var replay = replay
        guard let folded = ResultWords.fold(policy, &replay) else {
            switch policy {
            case .collect: return collect(replay, result, calls)
            case .fold: return fold(replay, result, request, calls)
            default: return nil
            }
        }
        calls?.pointee = folded.calls
        guard let result else { return .done }
        if replay.counted(of: folded.calls) > 0 {
            ResultWords.store(folded.words.0, folded.words.1, replay.plan.pointee.resultSize, in: result)
        } else {
            let request = request?.pointee ?? BroadcastRequest(result: result)
            ResultFolder(policy: policy, plan: replay.plan, request: request, chained: nil).finish(calls: 0)
        }
        return .done
    }

    private static func collect<Loops: ResultLoops>(
        _ replay: Loops, _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Broadcast.Outcome? {
        var replay = replay
        let size = replay.plan.pointee.resultSize
        guard let room = CollectionRoom(result, size) else { return nil }
        let called = replay.fold(CollectedResults(next: room.values, end: room.end, size: size)).calls
        calls?.pointee = called
        return room.finish(replay.counted(of: called))
    }

    private static func fold<Loops: ResultLoops>(
        _ replay: Loops, _ result: UnsafeMutableRawPointer?, _ request: UnsafePointer<BroadcastRequest>?,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Broadcast.Outcome? {
        var replay = replay
        guard let fold = request?.pointee.fold else { return nil }
        // A statement of its own: if `calls` is nil, the right side of the assignment below is not evaluated.
        let folded = replay.fold(
            FoldedResult(fold: fold, context: request?.pointee.foldContext, accumulator: result))
        calls?.pointee = folded.calls
        return .done
    }
}

// Static functions would be called through others, which drop the metatype and are not optimised for speed.

/// Broadcasts without options to a protected list of the method, and releases it.
@usableFromInline
@inline(never)
@_optimize(speed)
func sendForResultAlone(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome {
    let list = Broadcast.list(hazard)
    let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
    let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
    guard !traits.excludesResultLoops, IntegerResults.fit(plan, count) else {
        return Broadcast.sendForAnyResult(hazard, arguments, count, result, calls, id)
    }
    switch traits.policy {
    case .last: return sendIntegersForLast(hazard, arguments, count, result, calls, id)
    case .firstTrue, .firstNonzero: return sendIntegersForFirst(hazard, arguments, count, result, calls, id)
    case .any, .every: return sendIntegersForTruth(hazard, arguments, count, result, calls, id)
    case .sum where plan.pointee.resultKind.isSigned:
        return sendIntegersForSum(hazard, arguments, count, result, calls, id)
    case .collect where plan.pointee.resultSize == MemoryLayout<UInt32>.size:
        return sendIntegersForCollection(hazard, arguments, count, result, calls, id)
    default: return Broadcast.sendForAnyResult(hazard, arguments, count, result, calls, id)
    }
}

@inline(never)
@_optimize(speed)
private func sendIntegersForLast(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome {
    sendIntegers(hazard, arguments, count, result, calls, id) { _ in LastResult() }
}

@inline(never)
@_optimize(speed)
private func sendIntegersForFirst(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome {
    sendIntegers(hazard, arguments, count, result, calls, id) { FirstResult(mask: $0.resultMask) }
}

@inline(never)
@_optimize(speed)
private func sendIntegersForTruth(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome {
    sendIntegers(hazard, arguments, count, result, calls, id) {
        let policy = MethodTraits(rawValue: peal_snapshot_traits(Broadcast.list(hazard))).policy
        return TruthResult(mask: $0.resultMask, isEvery: policy == .every)
    }
}

@inline(never)
@_optimize(speed)
private func sendIntegersForSum(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome {
    sendIntegers(hazard, arguments, count, result, calls, id) { SumResult(shift: Int64($0.resultShift)) }
}

/// Makes one result of integers, which is that of a tail without results if there are no calls.
@inline(__always)
private func sendIntegers<Tail: ResultTail>(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64, _ tail: (CallPlan.Pointer) -> Tail
) -> Broadcast.Outcome {
    guard let result, let loops = IntegerResults(Broadcast.list(hazard), hazard, arguments, count) else {
        return Broadcast.sendForAnyResult(hazard, arguments, count, result, calls, id)
    }
    let folded = loops.fold(tail(loops.plan))
    ResultWords.store(folded.words.0, 0, loops.plan.pointee.resultSize, in: result)
    calls?.pointee = folded.calls
    Broadcast.release(hazard)
    return .done
}

/// Collects integers of four bytes.
@inline(never)
@_optimize(speed)
private func sendIntegersForCollection(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome {
    guard let room = CollectionRoom(result, MemoryLayout<UInt32>.size),
        let loops = IntegerResults(Broadcast.list(hazard), hazard, arguments, count)
    else { return Broadcast.sendForAnyResult(hazard, arguments, count, result, calls, id) }
    let called = loops.fold(CollectedWords(next: room.values, end: room.end)).calls
    calls?.pointee = called
    let outcome = room.finish(called)
    Broadcast.release(hazard)
    return outcome
}

/// The caller's memory for the results of a collection.
private struct CollectionRoom {
    private let collection: UnsafeMutablePointer<peal_collection>
    private let capacity: Int
    let values: UnsafeMutableRawPointer
    let end: UnsafeMutableRawPointer

    /// - Parameter size: That of one result.
    /// - Returns: nil if the caller's structure is too small or has no memory for results.
    @inline(__always)
    init?(_ result: UnsafeMutableRawPointer?, _ size: Int) {
        guard let collection = result?.assumingMemoryBound(to: peal_collection.self),
            // Only the size is read before it is tested: a structure that declares a smaller size may be smaller.
            CallerSize.isDeclared(MemoryLayout<peal_collection>.size, at: collection),
            let values = collection.pointee.values
        else { return nil }
        self.collection = collection
        self.values = values
        capacity = CallerSize.clamped(collection.pointee.capacity)
        // A list has no more observers, so the product does not overflow. Their number is not loaded here, since others
        // may be added before the loop loads it.
        end = values + min(capacity, Int(UInt32.max)) * size
    }

    /// - Parameter count: The number of results.
    @inline(__always)
    func finish(_ count: Int) -> Broadcast.Outcome {
        collection.pointee.count = min(count, capacity)
        return count <= capacity ? .done : .truncated
    }
}

/// Broadcasts to a protected list, and releases it.
///
/// - Parameter request: The caller's options; nil if the caller wants the result alone.
///
/// - Returns: nil where the general path is needed; then no observer was called, and the list is still protected.
@usableFromInline
@inline(never)
@_optimize(speed)
func sendForResult(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ request: UnsafePointer<BroadcastRequest>?, _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome? {
    let list = Broadcast.list(hazard)
    let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
    // The id is tested first: in another method's list nothing else has a meaning.
    guard peal_snapshot_method(list) == id, !traits.excludesResultLoops,
        peal_snapshot_parameter_count(list) == count
    else { return sendForExaminedResult(hazard, arguments, count, result, request, calls, id) }
    return ResultBroadcast.send(ResultReplay.self, hazard, list, traits, arguments, count, result, request, calls)
}

/// The same for a list in which some results may not count. A function of its own, so that other lists pay nothing.
@inline(never)
@_optimize(speed)
private func sendForExaminedResult(
    _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
    _ request: UnsafePointer<BroadcastRequest>?, _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
) -> Broadcast.Outcome? {
    let list = Broadcast.list(hazard)
    let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
    guard peal_snapshot_method(list) == id, !traits.excludesArrayLoops, peal_snapshot_parameter_count(list) == count
    else { return nil }
    return ResultBroadcast.send(ExaminedReplay.self, hazard, list, traits, arguments, count, result, request, calls)
}
