internal import CPealSupport
import PealCall

typealias PropertyChange = UnsafeMutablePointer<peal_change_node>

extension PropertyNotification {
    /// Notifies of the waiting changes, until none waits or the next one is in a batch. Then ends the notification. The
    /// caller must be the notifier, and hold the lock.
    ///
    /// - Returns: True if a queue refused a call.
    func drain() -> Bool {
        var isRejected = false
        while let first = element.pointee.first, first.pointee.batch == nil, let change = take(first) {
            // Sets that wait for room are woken once for several changes: waking them for each one costs more than a
            // set.
            let hasRoomAgain = element.pointee.waiting % Self.changesPerWakeUp == 0
            peal_property_unlock(element)
            if hasRoomAgain { peal_event_count_signal(peal_property_room_event_count()) }
            // The element may belong to another property by now, of which this thread has become the notifier.
            if PropertyNotification(element: element, id: change.pointee.property).notify(change) { isRejected = true }
            peal_change_free(change)
            peal_property_lock(element)
        }
        let closed = peal_property_end_notifying(element)
        peal_property_unlock(element)
        peal_event_count_signal(peal_property_room_event_count())
        // Another property may use the element only after this.
        if closed != 0 { Handles.properties.recycle(closed) }
        return isRejected
    }

    /// Notifies of the change with which the thread has claimed the notification, and of those that were added since.
    @inline(__always)
    func finish(_ change: PropertyChange) -> Bool {
        // The property may have ended since the claim.
        let isRejected = peal_property_is_of(element, id) && notify(change)
        if change.pointee.latest == nil { peal_change_free_single(change) } else { peal_change_free(change) }
        return end() || isRejected
    }

    /// Ends the notification. The caller must be the notifier, and must not hold the lock.
    ///
    /// - Returns: True if a queue refused a call for a change that was added meanwhile.
    @inline(__always)
    func end() -> Bool {
        peal_property_try_end(element) ? false : drainMore()
    }

    @inline(never)
    private func drainMore() -> Bool {
        peal_property_resume(element) && drain()
    }

    private static var changesPerWakeUp: UInt32 { 1024 }

    @inline(__always)
    private func notify(_ change: PropertyChange) -> Bool {
        guard change.pointee.observation == 0 else { return PropertyInitial.notify(change) }
        let values = values(of: change)
        guard !restoresOldValue(change, values) else { return false }
        var isRejected = false
        if !change.pointee.prior_is_notified { isRejected = notifyPrior(values) }
        return notify(values) || isRejected
    }

    /// Returns true if the sets of a batch have restored the old value of a property that ignores equal values. Padding
    /// bytes are zero in both values.
    private func restoresOldValue(_ change: PropertyChange, _ values: Values) -> Bool {
        guard change.pointee.latest != nil, element.pointee.traits & UInt32(PEAL_PROPERTY_IGNORES_EQUAL) != 0,
            values.newSize == change.pointee.old_size
        else { return false }
        return peal_property_equals(values.old, values.new, nil, values.newSize)
    }

    private func values(of change: PropertyChange) -> Values {
        let latest = change.pointee.latest ?? change
        return Values(
            old: peal_change_old(change), new: peal_change_new(latest), newSize: latest.pointee.new_size,
            isText: element.pointee.traits & UInt32(PEAL_PROPERTY_IS_TEXT) != 0)
    }

    /// The caller must hold the lock.
    private func take(_ first: PropertyChange) -> PropertyChange? {
        if first.pointee.observation != 0 { prepareInitial(first, after: first) }
        return peal_property_remove_first(element)
    }

    /// Sets an initial value to the value at its own position in the order, which is the old value of the next change.
    /// The caller must hold the lock.
    ///
    /// - Parameter position: The change after which it is ordered; nil: before all waiting ones.
    func prepareInitial(_ initial: PropertyChange, after position: PropertyChange? = nil) {
        var next = position.map { $0.pointee.next } ?? element.pointee.first
        while let change = next, change.pointee.observation != 0 { next = change.pointee.next }
        let size = next?.pointee.old_size ?? currentSize
        // If a text has grown since, this allocates under the lock, which is rare. If memory is refused, the initial
        // value stays empty, and the notification counts as refused.
        guard peal_change_make_room(initial, size) else { return }
        if let next {
            peal_change_new(initial).copyMemory(from: peal_change_old(next), byteCount: size)
        } else {
            peal_property_load(peal_property_current(element), peal_change_new(initial), size)
        }
    }

    /// The size of the value in bytes; for a text, with its zero.
    var currentSize: Int {
        element.pointee.traits & UInt32(PEAL_PROPERTY_IS_TEXT) == 0
            ? element.pointee.size : peal_property_current(element).pointee.length + 1
    }
}
