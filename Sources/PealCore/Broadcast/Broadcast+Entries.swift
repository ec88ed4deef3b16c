public import CPealSupport

extension Broadcast {
    /// A method's list, held for a caller who makes the calls itself. Both ends are nil, and nothing is
    /// held, when nobody observes or the outcome is a failure.
    public typealias Entries = (
        next: UnsafePointer<peal_snapshot_entry>?, end: UnsafePointer<peal_snapshot_entry>?, outcome: Outcome
    )

    /// The short way: nil where it is closed, or what is held needs a closer look. Both ends are nil, and
    /// nothing is held, when nobody observes.
    ///
    /// - Parameter held: Filled with what is held when the answer is nil, or nil when nothing is.
    @inlinable
    @inline(__always)
    public static func beginShortly(
        _ number: UInt64, held: inout UnsafeMutablePointer<peal_snapshot>?
    ) -> (next: UnsafePointer<peal_snapshot_entry>?, end: UnsafePointer<peal_snapshot_entry>?)? {
        guard let place = peal_directory_find(number), let thread = peal_thread_own_slot(),
            peal_thread_may_hold_shortly(thread)
        else { return nil }
        if peal_directory_has_nobody(place), peal_directory_is_of(place, number) { return (nil, nil) }
        let snapshot = peal_thread_hold_shortly(thread, place, UInt(PEAL_HOLD_OF_CALLER))
        guard peal_snapshot_method(snapshot) == number,
            !MethodTraits(rawValue: peal_snapshot_traits(snapshot)).restrictsRecursion
        else {
            held = snapshot
            return nil
        }
        let count = Int(peal_snapshot_count(snapshot))
        guard count > 0 else {
            held = snapshot
            return nil
        }
        let entries = peal_snapshot_entries(snapshot)
        return (entries, entries + count)
    }

    /// The long way, from the start or from what `beginShortly` holds.
    public static func begin(_ number: UInt64, held: UnsafeMutablePointer<peal_snapshot>?) -> Entries {
        if let held { return beginHeld(number, held) }
        do throws(Outcome) {
            return beginHeld(number, try hold(number, nil, 0, UInt(PEAL_HOLD_OF_CALLER)))
        } catch {
            return (nil, nil, error)
        }
    }

    /// Nobody observes, the handle is stale, or the method restricts recursion. The caller's loop cannot
    /// be deferred: inside itself, such a method can only be refused.
    private static func beginHeld(_ number: UInt64, _ snapshot: UnsafeMutablePointer<peal_snapshot>) -> Entries {
        let isKnown = peal_snapshot_method(snapshot) == number
        let count = Int(peal_snapshot_count(snapshot))
        let isRefused =
            isKnown && MethodTraits(rawValue: peal_snapshot_traits(snapshot)).restrictsRecursion
            && peal_thread_own_slot().unsafelyUnwrapped.isNested(in: number)
        if isKnown, count > 0, !isRefused {
            let entries = peal_snapshot_entries(snapshot)
            return (entries, entries + count, .done)
        }
        end()
        guard isKnown else { return (nil, nil, fail(.unknownMethod, number, nil, 0)) }
        return (nil, nil, isRefused ? fail(.recursionRejected, number, nil, 0) : .done)
    }

    public static func admit(_ entry: UnsafePointer<peal_snapshot_entry>) -> Bool {
        ObserverGate.admit(entry)
    }

    /// Lets the thread's innermost list go. Does nothing when it holds none, or a broadcast's own.
    @inlinable
    @inline(__always)
    public static func end() {
        guard let thread = peal_thread_own_slot(), peal_thread_holds_for_caller(thread) else { return }
        // Rare: only a method that defers leaves calls there.
        guard thread.pointee.first_deferred == nil else { return endAndRunDeferred(thread) }
        if peal_thread_release(thread) { answer(thread) }
    }

    @usableFromInline
    @inline(never)
    static func answer(_ thread: UnsafeMutablePointer<peal_thread>) {
        Reclaimer.answer(thread)
    }

    @usableFromInline
    @inline(never)
    static func endAndRunDeferred(_ thread: UnsafeMutablePointer<peal_thread>) {
        let number = peal_thread_held(thread, peal_thread_depth(thread) - 1).map(peal_snapshot_method) ?? 0
        if peal_thread_release(thread) { Reclaimer.answer(thread) }
        Deferral.runPending(of: number, on: thread)
    }
}
