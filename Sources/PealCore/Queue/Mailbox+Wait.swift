internal import CPealSupport

extension Mailbox {
    enum Flushed { case done, timedOut, wouldDeadlock, outOfMemory }

    /// A mark to be waited for. Its waiter and the mailbox own it.
    private struct Mark: BitwiseCopyable {
        var task: peal_task
        var mailbox: Mailbox
        var isReached: Bool
        var owners: Int
    }

    /// Waits until what was put here before this has been delivered or dropped.
    ///
    /// - Parameter deadline: As of peal_clock_deadline.
    func flush(deadline: UInt64) -> Flushed {
        guard !isCurrent else { return .wouldDeadlock }
        // Nothing to wait for, whoever is to run it.
        if locked({ pointee.first == nil && !pointee.is_running }) { return .done }
        guard let memory = peal_memory_allocate(MemoryLayout<Mark>.size) else { return .outOfMemory }
        let mark = memory.bindMemory(to: Mark.self, capacity: 1)
        let task = peal_task(item: peal_item(next: nil, group: nil, count: 0, offset: 0)) { Mailbox.reach($0) }
        mark.initialize(to: Mark(task: task, mailbox: self, isReached: false, owners: 2))
        push(memory.assumingMemoryBound(to: peal_task.self))
        peal_mailbox_lock(self)
        while !mark.pointee.isReached {
            guard peal_mailbox_wait(self, deadline) || mark.pointee.isReached else { break }
        }
        let isReached = mark.pointee.isReached
        // Who gives up takes the mark back, unless it is just being reached.
        let item = memory.assumingMemoryBound(to: peal_item.self)
        if !isReached, takeOne(where: { $0 == item }) != nil { mark.pointee.owners -= 1 }
        let isLast = Self.disown(mark)
        peal_mailbox_unlock(self)
        if isLast { peal_memory_free(mark) }
        return isReached ? .done : .timedOut
    }

    private static func reach(_ task: UnsafeMutablePointer<peal_task>) {
        let mark = UnsafeMutableRawPointer(task).assumingMemoryBound(to: Mark.self)
        let mailbox = mark.pointee.mailbox
        peal_mailbox_lock(mailbox)
        mark.pointee.isReached = true
        let isLast = disown(mark)
        peal_mailbox_tell(mailbox)
        peal_mailbox_unlock(mailbox)
        if isLast { peal_memory_free(mark) }
    }

    /// Under the lock. True for who frees it.
    private static func disown(_ mark: UnsafeMutablePointer<Mark>) -> Bool {
        mark.pointee.owners -= 1
        return mark.pointee.owners == 0
    }

    /// Drops the calls that would reach nobody, with their copies.
    func dropDead() {
        peal_mailbox_lock(self)
        let dead = pointee.waiting_items == 0 ? nil : takeAll { item in
            item.pointee.group.map { $0.isDead(Int(item.pointee.count)) } ?? false
        }
        dead?.forEach { pointee.dropped += UInt64($0.pointee.count) }
        if dead != nil { peal_mailbox_tell(self) }
        peal_mailbox_unlock(self)
        dead?.letGoOfAll()
    }
}
