public import CPealSupport

extension Broadcast {
    /// A method's list, protected for a caller that makes the calls itself. Both members are nil, and no list is
    /// protected, if the method has no observers. The end of the list is in the hazard slot, because only two words are
    /// returned in registers.
    public typealias Entries = (next: UnsafePointer<peal_entry>?, hazard: Hazard?)

    /// The fast path. Returns nil if it cannot be used for this thread or this list.
    ///
    /// - Parameter occupied: When the result is nil, the hazard slot that was occupied, or nil if none was.
    @inlinable
    @inline(__always)
    public static func beginFast(_ id: UInt64, occupied: inout Hazard?) -> Entries? {
        guard let element = peal_directory_find(id) else { return nil }
        if _slowPath(peal_directory_is_empty(element)), peal_directory_is_of(element, id) { return (nil, nil) }
        guard let hazard = peal_hazard_outermost() else { return nil }
        let snapshot = List(peal_hazard_protect_fast(hazard, element, UInt(PEAL_HAZARD_OF_CALLER)))
        guard peal_snapshot_method(snapshot) == id,
            !MethodTraits(rawValue: peal_snapshot_traits(snapshot)).excludesTypedLoops
        else {
            occupied = hazard
            return nil
        }
        return entries(of: snapshot, hazard)
    }

    /// The list may have become empty since the element was tested. Its first entry is then its end.
    @inlinable
    @inline(__always)
    static func entries(of snapshot: List, _ hazard: Hazard) -> Entries {
        let entries = peal_snapshot_entries(snapshot)
        hazard.pointee.shown.end = entries + Int(peal_snapshot_count(snapshot))
        return (entries, hazard)
    }

    /// The slow path, from the start or with the hazard slot that `beginFast` occupied.
    ///
    /// - Parameter reachesQueues: True if the first entry is to represent the observers with queues.
    public static func begin(_ id: UInt64, occupied: Hazard?, reachesQueues: Bool) throws(Outcome) -> Entries {
        var hazard =
            if let occupied { occupied } else { try protect(id, nil, 0, mark: PEAL_HAZARD_OF_CALLER) }
        if list(hazard).needsPreparation {
            hazard = try prepare(hazard, id, reachesQueues: reachesQueues)
        }
        let snapshot = list(hazard)
        if let failure = mistake(in: snapshot, hazard, id, reachesQueues: reachesQueues) {
            end(hazard)
            throw fail(failure, id, nil, 0)
        }
        let traits = MethodTraits(rawValue: peal_snapshot_traits(snapshot))
        let needsGeneralPath = traits.hasCompletion || traits.isSticky
        // Without a thunk taps do not see the loop.
        let isTapped = snapshot.isTapped && snapshot.pointee.record != nil
        let hasEnqueueThunk = reachesQueues && (snapshot.hasGroups || needsGeneralPath || isTapped)
        guard peal_snapshot_count(snapshot) > 0 || hasEnqueueThunk else {
            end(hazard)
            return (nil, nil)
        }
        if MethodTraits(rawValue: peal_snapshot_traits(snapshot)).defersRecursion { peal_hazard_defer(hazard, id) }
        let entries = entries(of: snapshot, hazard)
        guard hasEnqueueThunk else { return entries }
        guard snapshot.pointee.record != nil else {
            end(hazard)
            throw fail(.notRecordable, id, nil, 0)
        }
        let thunk = UnsafePointer(peal_snapshot_enqueue_thunk(snapshot))
        // Each call needs a token of its own, the broadcast is kept, or taps see it: the thunk makes all calls.
        if needsGeneralPath || isTapped { hazard.pointee.shown.end = thunk + 1 }
        return (thunk, hazard)
    }

    /// Settles the list, and creates the services that its lazy observers wait for.
    ///
    /// - Returns: The hazard slot of the list that is current then.
    private static func prepare(_ occupied: Hazard, _ id: UInt64, reachesQueues: Bool) throws(Outcome) -> Hazard {
        let hazard = try settle(occupied, id, nil, 0, mark: PEAL_HAZARD_OF_CALLER)
        guard mistake(in: list(hazard), hazard, id, reachesQueues: reachesQueues) == nil, list(hazard).isPending else {
            return hazard
        }
        let pending = PendingServices(of: list(hazard), reachesQueues: reachesQueues)
        end(hazard)
        pending.create()
        return try protectSettled(id, nil, 0, mark: PEAL_HAZARD_OF_CALLER)
    }

    /// Returns the reason to refuse a caller's loop, if any. Such a loop cannot be deferred. A method that restricts
    /// recursion therefore refuses the loop inside a broadcast of the same method.
    private static func mistake(
        in snapshot: List, _ hazard: Hazard, _ id: UInt64, reachesQueues: Bool
    ) -> Outcome? {
        guard peal_snapshot_method(snapshot) == id else { return .unknownMethod }
        let traits = MethodTraits(rawValue: peal_snapshot_traits(snapshot))
        if !reachesQueues, traits.hasCompletion { return .needsTokens }
        if !reachesQueues, traits.isSticky { return .notKept }
        return traits.restrictsRecursion && ProtectedMethods.contains(id, besides: hazard) ? .recursionRejected : nil
    }

    /// Performs the step of a caller's loop at an entry whose gate is not zero. Returns the entry to call, if any, and
    /// the entry at which the loop continues. After a weak observer, that is an entry of the library's own. The step at
    /// that entry releases the target, and continues with the observer after it.
    @inlinable
    @inline(__always)
    public static func step(
        at entry: UnsafePointer<peal_entry>?, _ hazard: Hazard
    ) -> (called: UnsafePointer<peal_entry>?, next: UnsafePointer<peal_entry>?) {
        guard entry == peal_entry_after_weak() else { return admit(entry, hazard) }
        peal_hazard_release_weak_inline(hazard)
        // The step before has stored it.
        let next = hazard.pointee.next.unsafelyUnwrapped
        guard next != hazard.pointee.shown.end else {
            peal_hazard_clear_weak_note(hazard)
            return (nil, next)
        }
        // The current call is stored before the gate is loaded: see thread.h.
        let gate = next.pointee.gate
        peal_current_set(peal_hazard_current(hazard), gate)
        let value = peal_gate_load(gate)
        if value == 0 {
            peal_hazard_clear_weak_note(hazard)
            return (next, next + 1)
        }
        // Most observers whose gate is not zero are only weak.
        guard value == UInt32(PEAL_GATE_WEAK) else { return admitNext(next, hazard) }
        let record = peal_observer_of_gate(gate)
        guard peal_observer_retain_target(record) else { return pruneNext(next, hazard) }
        peal_hazard_set_weak(hazard, record)
        guard peal_gate_load(gate) & UInt32(PEAL_GATE_REMOVED) == 0 else {
            // The retain hook has removed the observer.
            peal_hazard_release_weak(hazard)
            return admitNext(next, hazard)
        }
        hazard.pointee.next = next + 1
        return (next, peal_entry_after_weak())
    }

    /// The step at a later entry that is not only weak.
    ///
    /// As in a loop of the library, the earlier target is released, and its admission has noted for the release of the
    /// list that the slot may name a target.
    @usableFromInline
    @inline(never)
    static func admitNext(
        _ next: UnsafePointer<peal_entry>, _ hazard: Hazard
    ) -> (called: UnsafePointer<peal_entry>?, next: UnsafePointer<peal_entry>?) {
        (ObserverGate.admitInLibrary(next, hazard), after(next, hazard))
    }

    /// The step at a later entry whose target is dead.
    @usableFromInline
    @inline(never)
    static func pruneNext(
        _ next: UnsafePointer<peal_entry>, _ hazard: Hazard
    ) -> (called: UnsafePointer<peal_entry>?, next: UnsafePointer<peal_entry>?) {
        ObserverGate.prune(next.pointee.record)
        return (nil, after(next, hazard))
    }

    /// The step at the first of some weak entries, or at one that is not weak.
    @usableFromInline
    @inline(never)
    static func admit(
        _ entry: UnsafePointer<peal_entry>?, _ hazard: Hazard
    ) -> (called: UnsafePointer<peal_entry>?, next: UnsafePointer<peal_entry>?) {
        guard let entry else { return (nil, nil) }
        return (ObserverGate.admit(entry, hazard), after(entry, hazard))
    }

    /// The entry at which the loop continues after the call of an admitted one.
    @inline(__always)
    private static func after(_ entry: UnsafePointer<peal_entry>, _ hazard: Hazard) -> UnsafePointer<peal_entry> {
        guard hazard.pointee.weak != nil else {
            peal_hazard_clear_weak_note(hazard)
            return entry + 1
        }
        hazard.pointee.next = entry + 1
        return peal_entry_after_weak()
    }

    /// Releases the thread's innermost list if it belongs to a caller's loop. Does nothing otherwise.
    ///
    /// - Returns: The outcome of the calls that the loop enqueued.
    public static func end() -> Outcome {
        guard let thread = peal_thread_own_slot(), let hazard = peal_thread_innermost_of_caller(thread) else {
            return .done
        }
        return end(hazard)
    }

    @discardableResult
    private static func end(_ hazard: Hazard) -> Outcome {
        peal_hazard_release(hazard) ? ended(hazard) : .done
    }

    /// Does the work that the attention word of a released list requires.
    public static func ended(_ hazard: Hazard) -> Outcome {
        let failure =
            peal_hazard_test_and_clear_failure(hazard) ? peal_thread_own_engine()?.pointee.recorded_failure : nil
        // Read before `answer`, which may run a destroy callback that occupies the same slot.
        let deferring = peal_hazard_test_and_clear_deferred(hazard) ? hazard.pointee.deferring : nil
        answer(hazard)
        if let deferring { Deferral.runPending(of: deferring, on: peal_thread_own_slot().unsafelyUnwrapped) }
        return failure.flatMap(Outcome.init) ?? .done
    }
}
