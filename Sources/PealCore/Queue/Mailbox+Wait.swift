internal import CPealSupport

extension Mailbox {
    enum Flushed { case done, timedOut, wouldDeadlock, outOfMemory }

    /// A mark that a thread waits for. The waiter and the mailbox each have a reference to the mark.
    private struct Mark: BitwiseCopyable {
        var task: peal_task
        var mailbox: Mailbox
        var isReached: Bool
        var references: UInt32
    }

    /// Waits until all items that were enqueued before have been delivered or dropped.
    ///
    /// - Parameter deadline: As of peal_clock_deadline.
    func flush(deadline: UInt64) -> Flushed {
        guard !isCurrent else { return .wouldDeadlock }
        // No item waits, so the wait is over.
        if locked({ pointee.first == nil && !pointee.is_running }) { return .done }
        guard let memory = peal_memory_allocate(MemoryLayout<Mark>.size) else { return .outOfMemory }
        let mark = memory.bindMemory(to: Mark.self, capacity: 1)
        let task = peal_task(item: peal_item(next: nil, group: nil, count: 0, offset: 0)) { Mailbox.markReached($0) }
        mark.initialize(to: Mark(task: task, mailbox: self, isReached: false, references: 2))
        push(memory.assumingMemoryBound(to: peal_task.self))
        peal_mailbox_lock(self)
        while !mark.pointee.isReached {
            guard peal_mailbox_wait(self, deadline) || mark.pointee.isReached else { break }
        }
        let isReached = mark.pointee.isReached
        // A waiter whose deadline has passed removes the mark, unless the mark is being reached.
        let item = memory.assumingMemoryBound(to: peal_item.self)
        if !isReached, takeOne(where: { $0 == item }) != nil { _ = peal_count_release(&mark.pointee.references, 1) }
        let isLast = peal_count_release(&mark.pointee.references, 1)
        peal_mailbox_unlock(self)
        if isLast { peal_memory_free(mark) }
        return isReached ? .done : .timedOut
    }

    private static func markReached(_ task: UnsafeMutablePointer<peal_task>) {
        let mark = UnsafeMutableRawPointer(task).assumingMemoryBound(to: Mark.self)
        let mailbox = mark.pointee.mailbox
        peal_mailbox_lock(mailbox)
        mark.pointee.isReached = true
        let isLast = peal_count_release(&mark.pointee.references, 1)
        peal_mailbox_unlock(mailbox)
        // The thread that runs the task has a reference to the mailbox.
        peal_mailbox_signal(mailbox)
        if isLast { peal_memory_free(mark) }
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
        let isDue = peal_mailbox_has_waiters(self) || Int(ends) * Self.looks >= Int(pointee.waiting_items)
        let dead = takeDead(after: ends, looks: isDue ? .max : Self.looks)
        peal_mailbox_unlock(self)
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
