internal import CPealSupport

/// The end of an observer: the last step, after its last call has returned.
enum ObserverLife {
    /// Drops the reference of the registration itself.
    static func release(_ record: UnsafeMutablePointer<ObserverRecord>) {
        if peal_observer_release(record) { end(record) }
    }

    /// Runs the destroy callback. Call with no lock held.
    static func end(_ record: UnsafeMutablePointer<ObserverRecord>) {
        let target = record.pointee.target
        let destroy = record.pointee.destroy
        disown(record)
        destroy?(target)
    }

    /// Frees the record once neither its life nor the object of its handle needs it.
    static func disown(_ record: UnsafeMutablePointer<ObserverRecord>) {
        if peal_observer_disown(record) { peal_memory_free(record) }
    }
}
