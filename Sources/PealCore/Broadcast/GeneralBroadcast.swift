internal import CPealSupport
import PealCall

/// A broadcast that examines results, restricts recursion or uses `ffi_call`.
struct GeneralBroadcast {
    let hazard: Broadcast.Hazard
    let id: UInt64
    let arguments: Broadcast.Arguments?
    let count: Int

    private var snapshot: Broadcast.List { Broadcast.list(hazard) }
    private var plan: CallPlan.Pointer { peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self) }
    /// A thread that protects a list has a thread record.
    private var thread: UnsafeMutablePointer<peal_thread> { peal_thread_own_slot().unsafelyUnwrapped }
    var traits: MethodTraits { MethodTraits(rawValue: peal_snapshot_traits(snapshot)) }

    /// Runs, releases the list, and runs calls that were deferred meanwhile.
    @inline(never)
    func runAndRelease(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool = true
    ) -> Broadcast.Outcome {
        if _slowPath(snapshot.needsPreparation) {
            return runPrepared(request, calls: calls, runsDeferred: runsDeferred)
        }
        return runProtected(request, calls: calls, runsDeferred: runsDeferred)
    }

    /// Runs a broadcast whose list needs no preparation, releases the list, and runs deferred calls.
    @inline(__always)
    func runProtected(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool
    ) -> Broadcast.Outcome {
        let defers = traits.defersRecursion
        var outcome: Broadcast.Outcome
        do throws(Broadcast.Outcome) { outcome = try run(request, calls: calls) } catch { outcome = error }
        if outcome.isFailure { outcome = Broadcast.fail(outcome, id, arguments, count) }
        Broadcast.release(hazard)
        if defers, runsDeferred { Deferral.runPending(of: id, on: thread) }
        return outcome
    }

    private func run(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?
    ) throws(Broadcast.Outcome) -> Broadcast.Outcome {
        calls?.pointee = 0
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(snapshot) == id else { return .unknownMethod }
        if let mistake = mistake(in: request) { return mistake }
        guard !traits.isTapped else { return runTapped(request, calls: calls) }
        guard request.hasSending else { return try perform(request, calls: calls, tapped: nil) }
        return try performKnown(request, calls: calls, tapped: nil)
    }

    /// Makes the calls of a broadcast of which observers can learn more than its method and arguments.
    @inline(never)
    private func performKnown(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Broadcast.Outcome {
        var sending = peal_sending()
        sending.origin = request.origin
        sending.except = request.excepted
        sending.memory = request.memory
        let number = tapped?.pointee.broadcast ?? 0
        sending.broadcast = number != 0 ? number : peal_broadcast_number()
        return try withUnsafePointer(to: sending) { (sending) throws(Broadcast.Outcome) in
            peal_hazard_set_sending(hazard, sending)
            defer { peal_hazard_set_sending(hazard, nil) }
            return try perform(request, calls: calls, tapped: tapped)
        }
    }

    /// Reports the broadcast to taps. The number of its calls is stored even if the caller does not want it.
    @inline(never)
    private func runTapped(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?
    ) -> Broadcast.Outcome {
        var tapped = peal_tapped()
        return withUnsafeMutablePointer(to: &tapped) { tapped in
            var called = 0
            var outcome: Broadcast.Outcome
            peal_tapped_begin(tapped, id, arguments)
            do throws(Broadcast.Outcome) {
                outcome = try performKnown(request, calls: &called, tapped: tapped)
            } catch {
                outcome = error
            }
            peal_tapped_end(tapped, called, outcome.rawValue, request.result)
            calls?.pointee = called
            return outcome
        }
    }

    /// Makes the calls of a broadcast without mistakes.
    @inline(__always)
    private func perform(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Broadcast.Outcome {
        var folder = ResultFolder(
            policy: request.policy ?? traits.policy, plan: plan, request: request,
            chained: traits.chainedParameter.flatMap { arguments?[$0] })
        if traits.restrictsRecursion, !request.isOfLoop, ProtectedMethods.contains(id, besides: hazard) {
            folder.finish(calls: 0)
            if traits.rejectsRecursion { return .recursionRejected }
            return Deferral.capture(id, arguments: arguments, request, on: thread)
        }
        if traits.isSticky { return try performSticky(request, &folder, calls: calls, tapped: tapped) }
        let completion = traits.hasCompletion ? try Completion.pass(arguments?[traits.completionParameter ?? 0]) : nil
        defer { completion?.endPassing() }
        return try makeCalls(
            request, &folder, completion, calls: calls, tapped: tapped, upTo: Int(peal_snapshot_count(snapshot)))
    }

    /// Makes the calls.
    ///
    /// - Parameter count: The number of the list's first entries that are called.
    @inline(__always)
    func makeCalls(
        _ request: BroadcastRequest, _ folder: inout ResultFolder, _ completion: Completion?,
        calls: UnsafeMutablePointer<Int>?, tapped: UnsafeMutablePointer<peal_tapped>?, upTo count: Int
    ) throws(Broadcast.Outcome) -> Broadcast.Outcome {
        (request.gathering ?? completion)?.expect(snapshot.tokenCount(besides: request.excepted))
        // Calls for queues are enqueued first, so a callback's broadcast is queued after them.
        let queued =
            snapshot.hasGroups
            ? try enqueue(for: request.gathering ?? completion, tapped) : (calls: 0, isRejected: false)
        let called = callObservers(request, &folder, completion, tapped, 0..<count)
        folder.finish(calls: called.answered)
        calls?.pointee = called.all + queued.calls
        return queued.isRejected ? .rejected : folder.isTruncated ? .truncated : .done
    }

    private func enqueue(
        for completion: Completion?, _ tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> (calls: Int, isRejected: Bool) {
        let sending = hazard.pointee.sending
        guard completion != nil || sending != nil else { return try Delivery.enqueue(snapshot, .pointers(arguments)) }
        let extras = CapturedCall.Extras(completion: completion, sending: sending, tapped: tapped)
        return try Delivery.enqueueWithExtras(snapshot, .pointers(arguments), extras)
    }

    func mistake(in request: BroadcastRequest) -> Broadcast.Outcome? {
        guard plan.pointee.parameterCount == count else { return .wrongArgumentCount }
        if count > 0 {
            guard let arguments else { return .nullArgument }
            for index in 0..<count where arguments[index] == nil { return .nullArgument }
            // The compiler of a typed loop's caller has checked the arguments.
            if traits.hasNonnull, !request.isOfLoop, hasForbiddenNull(arguments) { return .nullArgument }
        }
        let policy = request.policy ?? traits.policy
        guard policy.fits(plan.pointee.resultKind) else { return .wrongPolicy }
        if request.result != nil, plan.pointee.resultKind == .void { return .noResult }
        switch policy {
        case .chain: return traits.chainedParameter == nil ? .wrongPolicy : nil
        case .fold: return request.fold == nil ? .missingFold : nil
        case .collect:
            guard let collection = request.collection else { return nil }
            // Only the size is read before it is tested: a structure that declares a smaller size may be smaller.
            guard CallerSize.isDeclared(MemoryLayout<peal_collection>.size, at: collection) else {
                return .wrongCollection
            }
            let hasRoom = collection.pointee.values != nil || collection.pointee.capacity == 0
            return hasRoom ? nil : .wrongCollection
        default: return nil
        }
    }

    /// Returns true if the argument of a `_Nonnull` parameter is a null pointer.
    @inline(never)
    private func hasForbiddenNull(_ arguments: Broadcast.Arguments) -> Bool {
        Handles.methods.find(id)?.forbiddenNull(in: arguments) != nil
    }

    /// - Parameter range: The entries of the list that are called.
    func callObservers(
        _ request: BroadcastRequest, _ folder: inout ResultFolder, _ completion: Completion?,
        _ tapped: UnsafeMutablePointer<peal_tapped>?, _ range: Range<Int>
    ) -> (all: Int, answered: Int) {
        let entries = peal_snapshot_entries(snapshot) + range.lowerBound
        let listed = range.count
        let needsTokens = traits.hasCompletion || request.gathering != nil
        let isExamined = traits.isExamined
        let isSimple =
            !needsTokens && folder.dropsResults && tapped == nil && request.excepted == 0
            && (!isExamined || request.result == nil)
        if isSimple, plan.pointee.frame == nil || request.forcesFFI {
            let called = FFIReplay.each(plan, arguments, to: entries, count: listed, hazard) ?? 0
            return (called, called)
        }
        let calls = ResultCalls(
            plan: plan, entries: entries, count: listed, hazard: hazard, arguments: arguments,
            forcesFFI: request.forcesFFI, excepted: request.excepted, tapped: tapped)
        if needsTokens {
            var answered = AnsweredCalls(
                calls: calls, completion: request.gathering ?? completion, parameter: traits.completionParameter)
            let called = answered.run()
            return (called, called - answered.passive)
        }
        // Each result of a chain replaces an argument of the next call.
        let chained = folder.policy == .chain ? traits.chainedParameter : nil
        guard chained != nil, isExamined else { return take(calls, &folder, chained: chained, isExamined, kept: nil) }
        // A result that does not count replaces the one before it in the memory of the calls.
        return withUnsafeTemporaryAllocation(byteCount: plan.pointee.resultSize, alignment: CopyPlan.alignment) {
            kept in
            take(calls, &folder, chained: chained, isExamined, kept: kept.baseAddress)
        }
    }

    /// Makes the calls, and has the folder take the results that count.
    ///
    /// - Parameter kept: Memory for the result that the next call of a chain gets; nil: the memory of the calls.
    @inline(__always)
    private func take(
        _ calls: ResultCalls, _ folder: inout ResultFolder, chained: Int?, _ isExamined: Bool,
        kept: UnsafeMutableRawPointer?
    ) -> (all: Int, answered: Int) {
        var last: UnsafeMutableRawPointer?
        var ignored = 0
        let called = calls.run { _, arguments in
            guard let chained, let last else { return false }
            arguments[chained] = last
            return true
        } take: { entry, result in
            if isExamined, isResultIgnored(entry) {
                ignored += 1
                return true
            }
            kept?.copyMemory(from: result, byteCount: plan.pointee.resultSize)
            last = kept ?? result
            return folder.take(result)
        }
        return (called, called - ignored)
    }

    /// Returns true if the result of the call that has just returned does not count.
    private func isResultIgnored(_ entry: UnsafePointer<SnapshotEntry>) -> Bool {
        entry.pointee.record.isPassive || hazard.pointee.answer != PEAL_ANSWER_GIVEN.rawValue
    }
}
