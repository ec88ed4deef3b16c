internal import CPealSupport

/// The state of a queue, in raw memory: groups and records point to it. See mailbox.h.
typealias Mailbox = UnsafeMutablePointer<peal_mailbox>

typealias QueueItem = UnsafeMutablePointer<peal_item>

extension Mailbox {
    /// Runs `body` under the mailbox's lock, after all pushed items were moved to the waiting items. `body` must not
    /// run user code.
    @inline(__always)
    func locked<Result>(_ body: () -> Result) -> Result {
        peal_mailbox_lock(self)
        defer { peal_mailbox_unlock(self) }
        return body()
    }

    /// Returns true if the calling thread is inside one of the queue's calls.
    var isCurrent: Bool { isEntered { !$0.submits } }

    /// Returns true if the calling thread is inside one of the queue's calls, its `submit` function or its destroy
    /// callback.
    var isInUseHere: Bool { isEntered { _ in true } }

    private func isEntered(_ isMeant: (peal_drain) -> Bool) -> Bool {
        var drain = peal_thread_own_engine()?.pointee.drains
        while let inner = drain {
            if inner.pointee.mailbox == self, isMeant(inner.pointee) { return true }
            drain = inner.pointee.outer
        }
        return false
    }

    /// Runs `body` while the thread's record states that it runs the mailbox, or calls its host's functions.
    func entered<Result>(on thread: UnsafeMutablePointer<peal_thread>, submits: Bool, _ body: () -> Result) -> Result {
        let engine = peal_thread_engine(thread)
        var drain = peal_drain(submits: submits, mailbox: self, outer: engine.pointee.drains)
        return withUnsafeMutablePointer(to: &drain) { drain in
            engine.pointee.drains = drain
            defer { engine.pointee.drains = drain.pointee.outer }
            return body()
        }
    }

    /// Runs the queue's destroy callback once the queue has ended and no thread runs it or calls its executor. The
    /// caller must have a reference.
    func finishIfIdle() {
        let isTaken = locked {
            let isIdle =
                pointee.is_ended && !pointee.is_finishing && !pointee.is_running
                && peal_mailbox_executor_of(self)?.pointee.submitting ?? 0 == 0
            if isIdle { pointee.is_finishing = true }
            return isIdle
        }
        guard isTaken else { return }
        peal_order_see_ended()
        if let destroy = pointee.destroy { calling { destroy(pointee.context) } }
        // A thread that waits for the end of an owner finds the queue in no list afterwards.
        peal_label_remove(pointee.id)
        Handles.queues.recycle(pointee.id)?.leaveOwner()
    }

    /// Calls a function of the host. The thread's record states this meanwhile.
    func calling<Result>(_ function: () -> Result) -> Result {
        peal_thread_current().map { entered(on: $0, submits: true, function) } ?? function()
    }

    /// Returns true if it drops the oldest call of a new call's method when it is full.
    var keepsLatest: Bool {
        UInt32(peal_mailbox_overflow(self)) == Overflow.keepLatest.rawValue && locked { capacity > 0 }
    }

    // The caller of the functions below must hold the lock.

    func append(_ item: QueueItem) {
        item.pointee.next = nil
        if peal_item_is_indexed(item) { peal_mailbox_add_to_index(self, item) }
        if let last = pointee.last { last.pointee.next = item } else { pointee.first = item }
        pointee.last = item
        if item.isTask {
            peal_mailbox_set_tasks(self, pointee.waiting_tasks &+ 1)
            return
        }
        pointee.waiting_items &+= 1
        pointee.waiting += UInt64(item.pointee.count)
    }

    /// Removes and returns the first item. Returns nil too if the queue belongs to a parent process.
    func takeFirst() -> QueueItem? {
        if pointee.first == nil { peal_mailbox_move_pushed(self) }
        guard !pointee.is_left, let item = pointee.first else { return nil }
        pointee.first = item.pointee.next
        if pointee.first == nil { pointee.last = nil }
        leave(item)
        return item
    }

    /// Returns true if no item waits. The result of the next push then requires its caller to schedule a run.
    private var drainOrMarkIdle: Bool {
        peal_mailbox_move_pushed(self)
        while pointee.first == nil {
            if peal_mailbox_try_mark_idle(self) { return true }
            peal_mailbox_move_pushed(self)
        }
        return false
    }

    /// Removes an item from the counts of waiting items.
    private func leave(_ item: QueueItem) {
        if item.isTask {
            peal_mailbox_set_tasks(self, pointee.waiting_tasks &- 1)
        } else {
            pointee.waiting_items &-= 1
            pointee.waiting -= UInt64(item.pointee.count)
            peal_mailbox_remove_from_index(self, item)
        }
    }

    /// Removes the items that `isWanted` selects, in order, as a chain; their calls wait no longer. If `isWanted`
    /// returns nil for an item, that item and all after it remain.
    func takeAll(where isWanted: (QueueItem) -> Bool?) -> QueueItem? {
        var taken: QueueItem?
        var lastTaken: QueueItem?
        var kept: QueueItem?
        var next = pointee.first
        while let item = next, let isTaken = isWanted(item) {
            next = item.pointee.next
            if isTaken {
                if let kept { kept.pointee.next = next } else { pointee.first = next }
                if pointee.last == item { pointee.last = kept }
                peal_mailbox_set_before(next, kept)
                item.pointee.next = nil
                if let lastTaken { lastTaken.pointee.next = item } else { taken = item }
                lastTaken = item
                leave(item)
            } else {
                kept = item
            }
        }
        return taken
    }

    /// Removes and returns the oldest waiting item of a method, without a search. Its group must be indexed.
    func takeOldest(of method: UInt64, keepsLatest: Bool) -> QueueItem? {
        guard let item = peal_mailbox_find_indexed(self, method, keepsLatest) else { return nil }
        peal_mailbox_unlink_indexed(self, item)
        leave(item)
        return item
    }

    /// Removes and returns the first item that `isWanted` selects.
    func takeOne(where isWanted: (QueueItem) -> Bool) -> QueueItem? {
        var isFound = false
        return takeAll { item in
            guard !isFound else { return nil }
            isFound = isWanted(item)
            return isFound
        }
    }

    /// The maximum number of waiting items; 0: no limit.
    var capacity: Int { pointee.extras?.pointee.capacity ?? 0 }

    var isFull: Bool { capacity > 0 && Int(pointee.waiting_items) >= capacity }

    /// Returns true if the caller must `schedule` a run after it has released the lock. From now on the queue's end
    /// waits for that request. The mailbox has a reference for it, because other threads may end the queue meanwhile.
    func markScheduledIfNeeded() -> Bool {
        guard !drainOrMarkIdle, pointee.pauses == 0, !pointee.is_running, !pointee.is_ended, !pointee.is_left else {
            return false
        }
        peal_mailbox_set_descriptor(self, true)
        guard peal_mailbox_kind_of(self) != PEAL_MAILBOX_PUMPED, !pointee.is_scheduled else { return false }
        pointee.is_scheduled = true
        peal_mailbox_executor_of(self)?.pointee.submitting += 1
        peal_mailbox_retain(self)
        return true
    }
}

extension QueueItem {
    var isTask: Bool { pointee.group == nil }
}
