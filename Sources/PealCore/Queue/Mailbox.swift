internal import CPealSupport

/// The state of a queue, in raw memory: groups and records point to it. See mailbox.h.
typealias Mailbox = UnsafeMutablePointer<peal_mailbox>

typealias QueueItem = UnsafeMutablePointer<peal_item>

extension Mailbox {
    /// Runs `body` under the mailbox's lock. No user code may run in it.
    @inline(__always)
    func locked<Result>(_ body: () -> Result) -> Result {
        peal_mailbox_lock(self)
        defer { peal_mailbox_unlock(self) }
        return body()
    }

    /// Whether the calling thread is inside one of the queue's calls.
    var isCurrent: Bool {
        var drain = peal_thread_own_slot()?.pointee.drains
        while let inner = drain {
            if inner.pointee.mailbox == self { return true }
            drain = inner.pointee.outer
        }
        return false
    }

    // The rest wants the lock.

    func append(_ item: QueueItem) {
        item.pointee.next = nil
        if let last = pointee.last { last.pointee.next = item } else { pointee.first = item }
        pointee.last = item
        if item.isTask { return }
        pointee.waiting_items += 1
        pointee.waiting += UInt64(item.pointee.count)
    }

    /// Takes the first item, but leaves its calls counted as waiting.
    func takeFirst() -> QueueItem? {
        guard let item = pointee.first else { return nil }
        pointee.first = item.pointee.next
        if pointee.first == nil { pointee.last = nil }
        if !item.isTask { pointee.waiting_items -= 1 }
        return item
    }

    /// Takes out the items that `isWanted` says, in order, as a chain; their calls wait no longer.
    func takeAll(where isWanted: (QueueItem) -> Bool) -> QueueItem? {
        var taken: QueueItem?
        var lastTaken: QueueItem?
        var kept: QueueItem?
        var next = pointee.first
        pointee.first = nil
        while let item = next {
            next = item.pointee.next
            item.pointee.next = nil
            if isWanted(item) {
                if let lastTaken { lastTaken.pointee.next = item } else { taken = item }
                lastTaken = item
                if item.isTask { continue }
                pointee.waiting_items -= 1
                pointee.waiting -= UInt64(item.pointee.count)
            } else {
                if let kept { kept.pointee.next = item } else { pointee.first = item }
                kept = item
            }
        }
        pointee.last = kept
        return taken
    }

    /// The same for the first that `isWanted` says.
    func takeOne(where isWanted: (QueueItem) -> Bool) -> QueueItem? {
        var isFound = false
        return takeAll { item in
            guard !isFound, isWanted(item) else { return false }
            isFound = true
            return true
        }
    }

    var isFull: Bool { pointee.capacity > 0 && pointee.waiting_items >= pointee.capacity }

    /// Whether somebody has to be asked to run the queue; then that is noted.
    func takesScheduling() -> Bool {
        guard pointee.first != nil, pointee.pauses == 0, !pointee.is_running else { return false }
        peal_mailbox_set_descriptor(self, true)
        guard pointee.kind != PEAL_MAILBOX_PUMPED, !pointee.is_scheduled else { return false }
        pointee.is_scheduled = true
        return true
    }
}

extension QueueItem {
    var isTask: Bool { pointee.group == nil }
}
