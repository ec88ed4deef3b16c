internal import CPealSupport
import PealCall

extension Mailbox {
    enum Flushed { case done, timedOut, wouldDeadlock, isCircular, outOfMemory }

    /// Waits until all items that were enqueued before have been delivered or dropped.
    ///
    /// - Parameter deadline: As of peal_clock_deadline.
    func flush(deadline: UInt64) -> Flushed {
        guard !isCurrent else { return .wouldDeadlock }
        guard let mark = peal_mark_make() else { return locked { isQuiet } ? .done : .outOfMemory }
        let item = UnsafeMutableRawPointer(mark).assumingMemoryBound(to: peal_item.self)
        guard peal_mailbox_push_mark(self, mark) || pushLocked(mark: item) else {
            peal_mark_release(mark, 2)
            return .done
        }
        func wait() -> Bool { peal_mark_event_count(mark).wait(until: deadline) { peal_mark_is_reached(mark) } }
        // Nobody ends a circular wait without a limit.
        let waited = deadline == .max ? WaitGraph.flushing(self, wait) : wait()
        var isReached = waited ?? false
        // A waiter whose deadline has passed removes the mark, unless the mark is being reached.
        var isAlone = false
        if !isReached {
            locked {
                // The calls may have been dropped, while the run that was scheduled for them has not begun.
                isReached = pointee.first == item && !pointee.is_running
                isAlone = takeOne { $0 == item } != nil
            }
        }
        isReached = isReached || peal_mark_is_reached(mark)
        peal_mark_release(mark, isAlone ? 2 : 1)
        return isReached ? .done : waited == nil ? .isCircular : .timedOut
    }

    /// Returns false if there is nothing to wait for.
    private func pushLocked(mark: QueueItem) -> Bool {
        peal_mailbox_lock(self)
        let isQuiet = isQuiet
        if !isQuiet { append(mark) }
        let isScheduled = !isQuiet && markScheduledIfNeeded()
        peal_mailbox_unlock(self)
        if isScheduled { _ = schedule() }
        return !isQuiet
    }

    /// True if no item waits and none runs, or if the queue has ended or its threads belong to a parent process. The
    /// caller must hold the lock.
    private var isQuiet: Bool {
        pointee.first == nil && !pointee.is_running || pointee.is_ended || pointee.is_left
    }

    /// Drops calls without living observers, with their copies, after an observer has ended.
    ///
    /// Tests the first calls, and continues while it finds such calls. So the end of one observer among many does not
    /// test all waiting calls. Calls that were not tested are dropped after some more ends, and before an operation
    /// depends on that: see `takeDead`.
    func dropDead() {
        peal_mailbox_lock(self)
        let ends = pointee.unswept + 1
        // A thread that waits for room may get it now.
        let hasWaiters = peal_mailbox_has_waiters(self)
        let isDue = hasWaiters || Int(ends) * Self.looks >= Int(pointee.waiting_items)
        let dead = takeDead(after: ends, looks: isDue ? .max : Self.looks)
        peal_mailbox_unlock(self)
        // The call of a thread that waits may have lost its observers.
        if hasWaiters { peal_mailbox_signal(self) }
        dead?.discardAll()
    }

    /// Drops all such calls of all queues, because their captured arguments may use code of a plugin.
    static func dropAllDead() {
        while let mailbox = peal_mailbox_find_unswept() {
            mailbox.dropAllDead()
            peal_mailbox_release(mailbox)
        }
    }

    /// Drops all such calls of this queue.
    func dropAllDead() {
        let dead = locked { takeDead() }
        dead?.discardAll()
    }

    /// Removes calls without living observers, and counts them as dropped. The caller must hold the lock.
    ///
    func takeDead() -> QueueItem? {
        pointee.unswept > 0 ? takeDead(after: pointee.unswept, looks: .max) : nil
    }

    /// - Parameters:
    ///   - ends: The number of observers that have ended since all calls were last tested.
    ///   - looks: The number of other calls that may be tested. It grows when dead ones are found.
    private func takeDead(after ends: UInt32, looks: Int) -> QueueItem? {
        var left = looks
        var isComplete = true
        let dead = takeAll { item in
            guard left > 0 else {
                isComplete = false
                return nil
            }
            let isDead = item.pointee.group?.isDead ?? false
            if looks < .max { left += isDead ? 1 : -1 }
            return isDead
        }
        peal_mailbox_set_unswept(self, isComplete ? 0 : ends)
        dead?.forEach { pointee.dropped += UInt64($0.pointee.count) }
        if dead != nil { peal_mailbox_signal(self) }
        return dead
    }

    /// The number of calls that are tested at an observer's end.
    private static var looks: Int { 64 }
}
