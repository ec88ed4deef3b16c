internal import CPealSupport
import PealCall

/// Delays the notifications of a thread's sets.
public enum PropertyBatch {
    /// Threads that end with a batch open end the batch: otherwise its changes would wait permanently.
    private static let endsWithThread: Void = peal_thread_set_batch_end { thread in
        peal_thread_leave_batches(thread)
        PropertyBatch.notify(thread)
    }

    public static func begin() throws(Failure) {
        _ = endsWithThread
        guard let thread = peal_thread_current() else { throw .outOfMemory }
        guard peal_thread_begin_batch(thread) else {
            throw Failure(.limit, "batches are nested four billion deep; each begin needs an end")
        }
    }

    /// - Returns: True if a queue refused a call.
    public static func end() throws(Failure) -> Bool {
        let thread = peal_thread_own_slot()
        let left = thread.map(peal_thread_leave_batch) ?? -1
        guard let thread, left >= 0 else {
            throw Failure(.state, "this thread has no batch open; each end needs a begin before it")
        }
        return left == 0 ? notify(thread) : false
    }

    @discardableResult
    private static func notify(_ thread: UnsafeMutablePointer<peal_thread>) -> Bool {
        var isRejected = false
        while let change = peal_batch_take_out(thread) {
            if release(change, thread) { isRejected = true }
        }
        return isRejected
    }

    /// Releases one change from the batch. Notifies of it here, unless a thread notifies of the property already.
    private static func release(_ change: PropertyChange, _ thread: UnsafeMutablePointer<peal_thread>) -> Bool {
        let number = change.pointee.property
        guard let place = peal_property_place_of(number) else { return false }
        let state = peal_property_lock(place)
        guard peal_property_is_of(place, number) else {
            // The property has ended, and left the change to its batch.
            peal_property_unlock(place, state)
            peal_change_free(change)
            return false
        }
        peal_change_release_from_batch(change)
        guard state & UInt32(PEAL_PROPERTY_NOTIFYING) == 0 else {
            peal_property_unlock(place, state)
            return false
        }
        peal_property_set_notifier(place, thread)
        let notification = PropertyNotification(place: place, number: number)
        return peal_property_waits_alone(place, change) ? notification.drainOne(change) : notification.drain()
    }
}
