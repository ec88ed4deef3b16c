internal import CPealSupport

/// Weak targets are retained just before their call, and released right after it.
enum WeakHold {
    /// Retains the observer's target for the next call. Returns false if the target is dead.
    @inline(__always)
    static func take(_ record: UnsafeMutablePointer<ObserverRecord>, _ hazard: Broadcast.Hazard) -> Bool {
        guard let extras = record.extras, let retain = extras.pointee.retain else { return false }
        // A typed loop may not have released an earlier target.
        if _slowPath(hazard.pointee.weak != nil) { release(hazard) }
        guard retain(extras.pointee.reference) else { return false }
        // From now on the record is in use, even if a typed loop is left and releases its list first.
        peal_hazard_set_weak(hazard, record)
        // Such a loop has no step after the call, so the release of the list releases the target.
        if _slowPath(peal_hazard_is_of_caller(hazard)) { peal_hazard_note_weak(hazard) }
        return true
    }

    /// The same for a loop of the library. Such a loop has released each earlier target, and releases this one.
    ///
    /// - Parameter record: The record of a weak observer.
    @inline(__always)
    static func takeInLibrary(_ record: UnsafeMutablePointer<ObserverRecord>, _ hazard: Broadcast.Hazard) -> Bool {
        let extras = peal_observer_known_extras(record)
        guard extras.pointee.retain.unsafelyUnwrapped(extras.pointee.reference) else { return false }
        peal_hazard_set_weak(hazard, record)
        return true
    }

    /// Releases the target after its call. Does nothing if the last observer called is not weak.
    @inline(never)
    static func release(_ hazard: Broadcast.Hazard) {
        guard let record = hazard.pointee.weak else { return }
        let extras = peal_observer_known_extras(record)
        extras.pointee.release.unsafelyUnwrapped(extras.pointee.reference, record.pointee.target)
        // The slot names the record until the release hook has returned, so a thread that waits for the observer's
        // calls also waits for the hook. Afterwards the record may end.
        peal_hazard_set_weak(hazard, nil)
    }

    /// Releases the target of a typed loop that was left during the call. The hazard slot stays occupied meanwhile, so
    /// that no broadcast uses it.
    static func releaseEnded(_ hazard: Broadcast.Hazard) {
        guard peal_hazard_test_and_clear_weak(hazard), hazard.pointee.weak != nil else { return }
        peal_hazard_keep(hazard)
        release(hazard)
        _ = peal_hazard_release(hazard)
    }
}
