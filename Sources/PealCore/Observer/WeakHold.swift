internal import CPealSupport

/// Weak targets are retained just before their call, and released right after it.
enum WeakHold {
    /// Retains the observer's target for the next call. Returns false if the target is dead.
    ///
    /// - Parameter record: The record of a weak observer.
    @inline(__always)
    static func take(_ record: UnsafeMutablePointer<ObserverRecord>, _ hazard: Broadcast.Hazard) -> Bool {
        // A typed loop may not have released an earlier target.
        if _slowPath(hazard.pointee.weak != nil) { release(hazard) }
        guard peal_observer_retain_target(record) else { return false }
        // From now on the record is in use, even if a typed loop is left and releases its list first.
        peal_hazard_set_weak(hazard, record)
        // Such a loop has no step after the call, so the release of the list releases the target.
        peal_hazard_note_weak(hazard)
        return true
    }

    /// The same for a loop of the library. Such a loop has released each earlier target, and releases this one.
    ///
    /// - Parameter record: The record of a weak observer.
    @inline(__always)
    static func takeInLibrary(_ record: UnsafeMutablePointer<ObserverRecord>, _ hazard: Broadcast.Hazard) -> Bool {
        guard peal_observer_retain_target(record) else { return false }
        peal_hazard_set_weak(hazard, record)
        return true
    }

    /// Releases the target after its call. Does nothing if the last observer called is not weak.
    @inline(__always)
    static func release(_ hazard: Broadcast.Hazard) {
        peal_hazard_release_weak(hazard)
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
