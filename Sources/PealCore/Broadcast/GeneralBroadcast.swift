internal import CPealSupport
import PealCall

/// A broadcast that looks at results, restricts recursion or goes through `ffi_call`.
struct GeneralBroadcast {
    let thread: UnsafeMutablePointer<peal_thread>
    let snapshot: Snapshot
    let number: UInt64
    let arguments: Broadcast.Arguments?
    let count: Int

    private var plan: CallPlan.Pointer { peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self) }
    private var traits: MethodTraits { MethodTraits(rawValue: peal_snapshot_traits(snapshot)) }

    /// Runs, lets the list go, and runs what was deferred meanwhile.
    @inline(never)
    func runAndRelease(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool = true
    ) -> Broadcast.Outcome {
        let defers = traits.defersRecursion
        var outcome = run(request, calls: calls)
        if outcome.isFailure { outcome = Broadcast.fail(outcome, number, arguments, count) }
        if peal_thread_release(thread) { Reclaimer.answer(thread) }
        if defers, runsDeferred { Deferral.runPending(of: number, on: thread) }
        return outcome
    }

    private func run(_ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?) -> Broadcast.Outcome {
        calls?.pointee = 0
        // The number first: with another method's list nothing else means anything.
        guard peal_snapshot_method(snapshot) == number else { return .unknownMethod }
        if let mistake = mistake(in: request) { return mistake }
        var folder = ResultFolder(
            policy: request.policy ?? traits.policy, plan: plan, request: request,
            chained: traits.chainedParameter.flatMap { arguments?[$0] })
        if traits.restrictsRecursion, thread.isNested(in: number) {
            folder.finish(calls: 0)
            if traits.rejectsRecursion { return .recursionRejected }
            return Deferral.capture(number, plan: plan, arguments: arguments, on: thread)
        }
        let called = callObservers(request, &folder)
        folder.finish(calls: called)
        calls?.pointee = called
        return folder.isTruncated ? .truncated : .done
    }

    private func mistake(in request: BroadcastRequest) -> Broadcast.Outcome? {
        guard plan.pointee.parameterCount == count else { return .wrongArgumentCount }
        if count > 0 {
            guard let arguments else { return .nullArgument }
            for index in 0..<count where arguments[index] == nil { return .nullArgument }
        }
        let policy = request.policy ?? traits.policy
        guard policy.fits(plan.pointee.resultKind) else { return .wrongPolicy }
        switch policy {
        case .chain: return traits.chainedParameter == nil ? .wrongPolicy : nil
        case .fold: return request.fold == nil ? .missingFold : nil
        case .collect:
            guard let collection = request.collection else { return nil }
            // The size alone first: what calls itself shorter may be.
            let size = UnsafeRawPointer(collection).load(as: Int.self)
            guard size >= MemoryLayout<BroadcastRequest.Collection>.size else { return .wrongCollection }
            let hasRoom = collection.pointee.values != nil || collection.pointee.capacity == 0
            return hasRoom ? nil : .wrongCollection
        default: return nil
        }
    }

    private typealias Slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    private func callObservers(_ request: BroadcastRequest, _ folder: inout ResultFolder) -> Int {
        if folder.dropsResults, plan.pointee.frame == nil || request.forcesFFI { return dropThroughFFI() }
        let room = max(CallPlan.smallResultSize, plan.pointee.resultSize)
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { result in
            withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { own in
                // A copy of the array: a chain puts its results in the place of an argument.
                let own = own.baseAddress.unsafelyUnwrapped
                if count > 0, let arguments { own.update(from: arguments, count: count) }
                let result = result.baseAddress.unsafelyUnwrapped
                if let frame = plan.pointee.frame, !request.forcesFFI {
                    return callWithFrame(frame, own, result, &folder)
                }
                return callThroughFFI(own, result, &folder)
            }
        }
    }

    private func callWithFrame(
        _ shape: FrameShape, _ arguments: Slots, _ result: UnsafeMutableRawPointer, _ folder: inout ResultFolder
    ) -> Int {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Int(PEAL_FRAME_WORDS)) { frame in
            let words = frame.baseAddress.unsafelyUnwrapped
            _ = CallPlan.buildFrame(plan, from: arguments, into: words)
            return forEachObserver { entry in
                CallPlan.callWithFrame(
                    plan, shape: shape, function: entry.pointee.function, target: entry.pointee.target,
                    words: words, result: result)
                let goesOn = folder.take(result)
                if folder.policy == .chain, let chained = traits.chainedParameter {
                    arguments[chained] = result
                    _ = CallPlan.buildFrame(plan, from: arguments, into: words)
                }
                return goesOn
            }
        }
    }

    private func callThroughFFI(
        _ arguments: Slots, _ result: UnsafeMutableRawPointer, _ folder: inout ResultFolder
    ) -> Int {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            let slots = memory.baseAddress.unsafelyUnwrapped
            CallPlan.fillSlots(plan, from: arguments, into: slots)
            return forEachObserver { entry in
                slots[0] = peal_snapshot_entry_target(entry)
                CallPlan.callThroughFFI(
                    plan, function: entry.pointee.function, slots: slots, arguments: arguments, result: result)
                let goesOn = folder.take(result)
                if folder.policy == .chain, let chained = traits.chainedParameter {
                    arguments[chained] = result
                    CallPlan.fillSlots(plan, from: arguments, into: slots)
                }
                return goesOn
            }
        }
    }

    /// The plain `ffi_call` loop.
    private func dropThroughFFI() -> Int {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            // Aligned for any result: who returns a struct in memory counts on that.
            withUnsafeTemporaryAllocation(byteCount: CallPlan.smallResultSize, alignment: 16) { room in
                let slots = memory.baseAddress.unsafelyUnwrapped
                // A struct in memory whose value nobody wants: libffi finds room for it.
                let isLarge = plan.pointee.resultSize > CallPlan.smallResultSize
                let result = isLarge ? nil : room.baseAddress
                CallPlan.fillSlots(plan, from: arguments, into: slots)
                return forEachObserver { entry in
                    slots[0] = peal_snapshot_entry_target(entry)
                    CallPlan.callThroughFFI(
                        plan, function: entry.pointee.function, slots: slots, arguments: arguments, result: result)
                    return true
                }
            }
        }
    }

    /// Calls `body` for each observer that may be called, until it returns false.
    @inline(__always)
    private func forEachObserver(_ body: (UnsafePointer<SnapshotEntry>) -> Bool) -> Int {
        var entry = peal_snapshot_entries(snapshot)
        let end = entry + Int(peal_snapshot_count(snapshot))
        var called = 0
        while entry != end {
            if peal_gate_load(entry.pointee.gate) == 0 || ObserverGate.admit(entry) {
                called += 1
                guard body(entry) else { break }
            }
            entry += 1
        }
        return called
    }
}
