public import CPealSupport

extension Broadcast {
    /// A method's list, held for a caller who makes the calls itself. Both are nil, and nothing is held, when
    /// nobody observes. Where the list ends is in the hold: two words are returned in registers.
    public typealias Entries = (next: UnsafePointer<peal_entry>?, hold: Hold?)

    /// The short way: nil where it is closed, or what is held needs a closer look.
    ///
    /// - Parameter held: Filled with what is held when the answer is nil, or nil when nothing is.
    @inlinable
    @inline(__always)
    public static func beginShortly(_ number: UInt64, held: inout Hold?) -> Entries? {
        guard let place = peal_directory_find(number) else { return nil }
        if _slowPath(peal_directory_has_nobody(place)), peal_directory_is_of(place, number) { return (nil, nil) }
        guard let hold = peal_hazard_outermost() else { return nil }
        let snapshot = List(peal_hazard_protect_fast(hold, place, UInt(PEAL_HAZARD_OF_CALLER)))
        guard peal_snapshot_method(snapshot) == number,
            !MethodTraits(rawValue: peal_snapshot_traits(snapshot)).needsCloserLook
        else {
            held = hold
            return nil
        }
        return entries(of: snapshot, hold)
    }

    /// The last observer may have left since the place was looked at: then both ends are the same.
    @inlinable
    @inline(__always)
    static func entries(of snapshot: List, _ hold: Hold) -> Entries {
        let entries = peal_snapshot_entries(snapshot)
        hold.pointee.shown.end = entries + Int(peal_snapshot_count(snapshot))
        return (entries, hold)
    }

    /// The long way, from the start or from what `beginShortly` holds.
    ///
    /// - Parameter reachesQueues: Whether the first entry is to stand for the observers with queues.
    public static func begin(_ number: UInt64, held: Hold?, reachesQueues: Bool) throws(Outcome) -> Entries {
        var hold =
            if let held { held } else { try hold(number, nil, 0, mark: PEAL_HAZARD_OF_CALLER) }
        if list(hold).needsPreparation {
            hold = try prepare(hold, number, reachesQueues: reachesQueues)
        }
        let snapshot = list(hold)
        if let failure = mistake(in: snapshot, hold, number, reachesQueues: reachesQueues) {
            end(hold)
            throw fail(failure, number, nil, 0)
        }
        let isAsked = MethodTraits(rawValue: peal_snapshot_traits(snapshot)).hasCompletion
        let hasEnqueueThunk = reachesQueues && (snapshot.hasGroups || isAsked)
        guard peal_snapshot_count(snapshot) > 0 || hasEnqueueThunk else {
            end(hold)
            return (nil, nil)
        }
        if MethodTraits(rawValue: peal_snapshot_traits(snapshot)).defersRecursion { peal_hazard_defer(hold, number) }
        let entries = entries(of: snapshot, hold)
        guard hasEnqueueThunk else { return entries }
        guard snapshot.pointee.record != nil else {
            end(hold)
            throw fail(.notRecordable, number, nil, 0)
        }
        let thunk = UnsafePointer(peal_snapshot_enqueue_thunk(snapshot))
        // Each call needs a token of its own: the thunk makes them all.
        if isAsked { hold.pointee.shown.end = thunk + 1 }
        return (thunk, hold)
    }

    /// Settles the list, and has the services created that it lacks.
    ///
    /// - Returns: What holds the list that there is then.
    private static func prepare(_ held: Hold, _ number: UInt64, reachesQueues: Bool) throws(Outcome) -> Hold {
        let hold = try settle(held, number, nil, 0, mark: PEAL_HAZARD_OF_CALLER)
        guard mistake(in: list(hold), hold, number, reachesQueues: reachesQueues) == nil, list(hold).isPending else { return hold }
        let pending = PendingServices(of: list(hold), reachesQueues: reachesQueues)
        end(hold)
        pending.create()
        return try holdSettled(number, nil, 0, mark: PEAL_HAZARD_OF_CALLER)
    }

    /// The caller's loop cannot be deferred: inside itself, a method that restricts recursion can only be
    /// refused.
    private static func mistake(
        in snapshot: List, _ hold: Hold, _ number: UInt64, reachesQueues: Bool
    ) -> Outcome? {
        guard peal_snapshot_method(snapshot) == number else { return .unknownMethod }
        if !reachesQueues, MethodTraits(rawValue: peal_snapshot_traits(snapshot)).hasCompletion { return .needsTokens }
        let restricts = MethodTraits(rawValue: peal_snapshot_traits(snapshot)).restrictsRecursion
        return restricts && HeldMethods.isHeld(number, besides: hold) ? .recursionRejected : nil
    }

    /// What a caller's loop does at an entry whose gate is not zero: which entry it calls, if any, and where it
    /// goes on. After a weak observer it goes on at an entry of the library's own, which ends the hold of the
    /// target.
    public static func step(
        at entry: UnsafePointer<peal_entry>, _ hold: Hold
    ) -> (called: UnsafePointer<peal_entry>?, next: UnsafePointer<peal_entry>?) {
        if entry == peal_entry_after_weak() {
            WeakHold.release(hold)
            return (nil, hold.pointee.next)
        }
        let called = ObserverGate.admit(entry, hold)
        guard hold.pointee.weak != nil else { return (called, entry + 1) }
        hold.pointee.next = entry + 1
        return (called, peal_entry_after_weak())
    }

    /// Lets the thread's innermost list go. Does nothing when it holds none, or a broadcast's own.
    ///
    /// - Returns: How what the loop recorded for queues ended.
    public static func end() -> Outcome {
        guard let thread = peal_thread_own_slot(), let hold = peal_thread_innermost_of_caller(thread) else { return .done }
        return end(hold)
    }

    @discardableResult
    private static func end(_ hold: Hold) -> Outcome {
        peal_hazard_release(hold) ? ended(hold) : .done
    }

    /// What is left to do for a list that was let go, where its hold asks for attention.
    public static func ended(_ hold: Hold) -> Outcome {
        let failure = peal_hazard_test_and_clear_failure(hold) ? peal_thread_own_slot()?.pointee.recorded_failure : nil
        // Looked at first: a destroy callback may take the same hold.
        let deferring = peal_hazard_test_and_clear_deferred(hold) ? hold.pointee.deferring : nil
        answer(hold)
        if let deferring { Deferral.runPending(of: deferring, on: peal_thread_own_slot().unsafelyUnwrapped) }
        return failure.flatMap(Outcome.init) ?? .done
    }
}
