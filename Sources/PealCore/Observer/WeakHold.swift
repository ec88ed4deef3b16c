internal import CPealSupport

/// Weak targets are retained just before their call. The hold of a level ends when it calls another weak
/// target, or with the level: so that no loop has more to do after a call than before.
enum WeakHold {
    /// Retains the observer's target for the call that comes. False when the target is dead.
    static func take(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        guard let thread = peal_thread_own_slot(), let hold = peal_thread_innermost(thread),
            let retain = record.pointee.retain
        else { return false }
        letGo(hold)
        guard retain(record.pointee.reference) else { return false }
        // A typed loop lets its list go first: the record must not end by that.
        peal_observer_retain(record)
        peal_hold_set_weak(hold, record)
        peal_hold_attend_weak(hold)
        return true
    }

    private static func letGo(_ hold: Broadcast.Hold) {
        guard let record = hold.pointee.weak else { return }
        record.pointee.release?(record.pointee.reference, record.pointee.target)
        // Only now: who waits for the observer's code waits for this call too.
        peal_hold_set_weak(hold, nil)
        ObserverLife.release(record)
    }

    /// Ends the hold of a level that was let go: it is kept meanwhile, so that nothing takes it.
    static func releaseEnded(_ hold: Broadcast.Hold) {
        // Without one where the last target was found dead.
        guard peal_hold_takes_weak(hold), hold.pointee.weak != nil else { return }
        peal_hold_keep(hold)
        letGo(hold)
        _ = peal_hold_release(hold)
    }
}
