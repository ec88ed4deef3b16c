internal import CPealSupport
import PealCall

/// Delays the notifications of a thread's sets.
public enum PropertyBatch {
    public static func begin() throws(Failure) {
        guard let thread = peal_thread_current() else { throw .outOfMemory }
        // The callback runs at the end of a thread with an open batch. Otherwise the thread's changes would wait
        // permanently.
        let isOpen = peal_thread_begin_batch(thread) { thread in
            peal_thread_leave_batches(thread)
            PropertyBatch.notify(thread)
        }
        guard isOpen else {
            throw Failure(.limit, "batches are nested four billion deep; each begin needs an end")
        }
    }

    /// - Returns: True if a queue refused a call; nil if no batch is open, for which ``noneIsOpen`` is the failure.
    @inline(__always)
    public static func end() -> Bool? {
        guard let thread = peal_thread_own_slot(), case let left = peal_thread_leave_batch(thread), left >= 0 else {
            return nil
        }
        return left == 0 ? notify(thread) : false
    }

    public static let noneIsOpen = Failure(.state, "this thread has no batch open; each end needs a begin before it")

    @discardableResult @_optimize(speed)
    private static func notify(_ thread: UnsafeMutablePointer<peal_thread>) -> Bool {
        var isRejected = false
        while let change = peal_batch_remove_first(thread) {
            if let element = peal_change_take_claim(change) {
                let notification = PropertyNotification(element: element, id: change.pointee.property)
                if notification.finish(change) { isRejected = true }
            } else if release(change, thread) {
                isRejected = true
            }
        }
        return isRejected
    }

    /// Releases one change from the batch. Notifies of the change here, unless a thread is notifying of the property
    /// already.
    @inline(never)
    private static func release(_ change: PropertyChange, _ thread: UnsafeMutablePointer<peal_thread>) -> Bool {
        let id = change.pointee.property
        guard let element = peal_property_element_of(id) else { return false }
        let notification = PropertyNotification(element: element, id: id)
        peal_property_lock(element)
        guard peal_property_is_of(element, id) else {
            // The property has ended, and its end frees no change that is in a batch.
            peal_property_unlock(element)
            peal_change_free(change)
            return false
        }
        peal_change_release_from_batch(change)
        guard !peal_property_is_notifying(element) else {
            peal_property_unlock(element)
            return false
        }
        peal_property_begin_notifying(element, thread)
        return notification.drain()
    }
}
