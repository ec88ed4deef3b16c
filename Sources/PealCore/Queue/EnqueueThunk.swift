internal import CPealSupport
import PealCall

/// The entry of a typed loop that represents the observers with queues, which the loop cannot call itself. The caller's
/// code calls the thunk like any other entry, and the thunk enqueues the call.
enum EnqueueThunk {
    /// Makes the thunk of a list. If the system forbids closures there is no function, and typed loops that reach all
    /// observers cannot read the list.
    static func install(in list: Snapshot) {
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        guard let function = function(for: plan) else { return }
        list.pointee.record = { list, words in EnqueueThunk.record(list, words) }
        peal_snapshot_enqueue_thunk(list).initialize(
            to: SnapshotEntry(
                function: unsafeBitCast(function, to: (@convention(c) () -> Void).self),
                target: UnsafeMutableRawPointer(list), gate: peal_enqueue_thunk_open_gate()))
    }

    private static func function(for plan: CallPlan.Pointer) -> UnsafeRawPointer? {
        if let frame = plan.pointee.frame {
            let function = peal_enqueue_thunk_function(plan.pointee.resultLocation.rawValue, frame.usesStack)
            return function.map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
        }
        return CallClosure.function(of: plan, index: 0) { list, _, arguments, _ in
            guard let list else { return }
            EnqueueThunk.take(Broadcast.List(list.assumingMemoryBound(to: peal_snapshot.self)), .pointers(arguments))
        }
    }

    /// Enqueues a call whose arguments are in a register frame.
    private static func record(_ list: Broadcast.List, _ words: UnsafePointer<UInt64>) {
        take(list, .words(words, peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)))
    }

    private static func take(_ list: Broadcast.List, _ carrier: Carrier) {
        do throws(Broadcast.Outcome) {
            let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
            guard !traits.hasCompletion, !traits.isSticky, !list.isTapped else {
                if case .words(let words, _) = carrier, traits.isTapFastPathEligible,
                    TappedBroadcast.send(words, of: list)
                {
                    return
                }
                return broadcast(list, carrier)
            }
            _ = try Delivery.enqueue(list, carrier)
        } catch {
            noteFailure(error, of: list)
        }
    }

    /// Broadcasts to all observers of the list, because each needs a token of its own, the call is kept, or taps see it.
    private static func broadcast(_ list: Broadcast.List, _ carrier: Carrier) {
        guard let copying = Handles.methods.find(peal_snapshot_method(list))?.copyPlan else { return }
        copying.withArguments(of: carrier) { broadcast(list, $0) }
    }

    private static func broadcast(_ list: Broadcast.List, _ arguments: Broadcast.Arguments?) {
        var request = BroadcastRequest(result: nil)
        // The enclosing loop protects the method's list, and the method was tested at its beginning.
        request.isOfLoop = true
        let outcome = Broadcast.send(
            peal_snapshot_method(list), arguments: arguments, count: peal_snapshot_parameter_count(list),
            request: request, calls: nil)
        if outcome.isFailure { noteFailure(outcome, of: list) }
    }

    /// A typed loop has no status, so a failure is reported when its list is released.
    private static func noteFailure(
        _ outcome: Broadcast.Outcome, of list: Broadcast.List
    ) {
        guard let thread = peal_thread_own_slot(), let hazard = peal_thread_innermost(thread) else { return }
        _ = Broadcast.fail(outcome, peal_snapshot_method(list), nil, peal_snapshot_parameter_count(list))
        peal_thread_engine(thread).pointee.recorded_failure = outcome.rawValue
        peal_hazard_note_failure(hazard)
    }
}
