internal import CPealSupport

extension Mailbox {
    /// The result of pushing an item.
    enum Pushed { case accepted, dropped, rejected }

    /// Appends an item, makes room according to the queue's overflow, and makes sure that the queue is run. An item
    /// that is not accepted is released, and counted.
    ///
    /// The caller must protect a list with the item's group.
    func push(_ item: QueueItem) -> Pushed {
        if _slowPath(item.pointee.group.unsafelyUnwrapped.pointee.is_indexed) { return pushLocked(item) }
        switch peal_mailbox_push(self, item, true) {
        case PEAL_PUSHED: return .accepted
        case PEAL_PUSHED_FIRST:
            let isScheduled = locked { markScheduledIfNeeded() }
            return !isScheduled || schedule() ? .accepted : .rejected
        default: return pushLocked(item)
        }
    }

    @inline(never)
    private func pushLocked(_ item: QueueItem) -> Pushed {
        let count = UInt64(item.pointee.count)
        peal_group_retain(item.pointee.group.unsafelyUnwrapped, 1)
        var leaving: QueueItem?
        peal_mailbox_lock(self)
        let dead = isFull ? takeDead() : nil
        let outcome = admit(item, leaving: &leaving)
        var isScheduled = false
        switch outcome {
        case .accepted:
            append(item)
            isScheduled = markScheduledIfNeeded()
        case .dropped: pointee.dropped += count
        case .rejected: pointee.rejected += count
        }
        peal_mailbox_unlock(self)
        if outcome != .accepted { item.discard() }
        dead?.discardAll()
        leaving?.discardAll()
        if isScheduled, !schedule() { return .rejected }
        return outcome
    }

    /// Appends a task, or runs it here if the queue has ended. The task may release the last reference to the mailbox
    /// as soon as the lock is released.
    func push(_ task: UnsafeMutablePointer<peal_task>) {
        peal_mailbox_lock(self)
        guard !pointee.is_ended, !pointee.is_left else {
            peal_mailbox_unlock(self)
            return task.pointee.run(task)
        }
        append(task.item)
        let isScheduled = markScheduledIfNeeded()
        peal_mailbox_unlock(self)
        if isScheduled { _ = schedule() }
    }

    /// The caller must hold the lock. Returns `accepted` if there is room, or if room was made.
    private func admit(_ item: QueueItem, leaving: inout QueueItem?) -> Pushed {
        guard !pointee.is_ended else { return .dropped }
        guard !pointee.is_left else { return .rejected }
        // The earlier call gives its room to the new one.
        let group = item.pointee.group.unsafelyUnwrapped
        if group.pointee.keeps_latest { leaving = dropOldest(of: group, keepsLatest: true) }
        guard isFull else { return .accepted }
        switch Overflow(rawValue: UInt32(peal_mailbox_overflow(self))) ?? .reject {
        case .reject: return .rejected
        case .dropNewest: return .dropped
        case .dropOldest: leaving = dropOldest()
        case .keepLatest:
            let keepsLatest = group.pointee.keeps_latest
            leaving =
                dropOldest(of: group, keepsLatest: keepsLatest) ?? dropOldest(of: group, keepsLatest: !keepsLatest)
                ?? dropOldest()
        case .wait: return waitForRoom(for: group)
        }
        return .accepted
    }

    private func dropOldest(of group: ObserverGroup.Pointer, keepsLatest: Bool) -> QueueItem? {
        drop(takeOldest(of: group.pointee.method, keepsLatest: keepsLatest))
    }

    private func dropOldest() -> QueueItem? { drop(takeOne { !$0.isTask }) }

    private func drop(_ item: QueueItem?) -> QueueItem? {
        if let item { pointee.dropped += UInt64(item.pointee.count) }
        return item
    }

    private func waitForRoom(for group: ObserverGroup.Pointer) -> Pushed {
        guard !isCurrent else { return .rejected }
        // The last call of this thread's list has returned. Threads that wait for that call are woken now, because this
        // thread may block before it releases the list.
        RunningCalls.signal()
        let deadline = peal_clock_deadline(pointee.extras?.pointee.wait ?? 0)
        // The observers may be removed meanwhile. Nothing would drop a call that is enqueued after that.
        while isFull, !pointee.is_ended, !group.isDead {
            guard peal_mailbox_wait(self, deadline) || !isFull else { return .rejected }
        }
        return pointee.is_ended || group.isDead ? .dropped : .accepted
    }

    /// Requests a run of the queue, and releases the reference of `markScheduledIfNeeded`. Returns false if the
    /// executor refuses: the waiting calls are then rejected.
    func schedule() -> Bool {
        switch peal_mailbox_kind_of(self) {
        case PEAL_MAILBOX_SERIAL:
            peal_executor_run(peal_mailbox_work(self), { Mailbox.runScheduled($0) }, self)
            return true
        case PEAL_MAILBOX_MAIN:
            if !peal_dispatch_main(self, { Mailbox.runScheduled($0) }) { peal_mailbox_release(self) }
            return true
        default:
            defer { peal_mailbox_release(self) }
            return submit()
        }
    }

    /// Calls the host's executor, unless the queue has ended meanwhile and its calls were dropped.
    private func submit() -> Bool {
        // As in `waitForRoom`: the host's function may take long.
        RunningCalls.signal()
        let isWanted = locked { !pointee.is_ended }
        let isTaken =
            !isWanted
            || calling { peal_mailbox_executor_of(self)?.pointee.submit?(pointee.context, pointee.id) ?? true }
        if !isTaken { rejectAll() }
        locked { peal_mailbox_executor_of(self)?.pointee.submitting -= 1 }
        finishIfIdle()
        return isTaken
    }

    private static func runScheduled(_ context: UnsafeMutableRawPointer?) {
        guard let mailbox = context?.assumingMemoryBound(to: peal_mailbox.self) else { return }
        if case .failure(.outOfMemory) = mailbox.run(limit: Mailbox.turn, wasScheduled: true) {
            // The thread could not get a record. The waiting calls must run later.
            return peal_executor_run_later(peal_mailbox_work(mailbox), { Mailbox.runScheduled($0) }, context)
        }
        peal_mailbox_release(mailbox)
    }

    /// The number of items that a scheduled run makes before other work of its thread has its turn.
    private static var turn: Int { 1024 }

    /// Rejects the waiting calls, because the executor has refused the run and no thread would make them. Tasks run
    /// here.
    private func rejectAll() {
        peal_mailbox_lock(self)
        pointee.is_scheduled = false
        // The next push requests a run again.
        while !pointee.is_running, !peal_mailbox_try_mark_idle(self) { peal_mailbox_move_pushed(self) }
        let calls = takeAll { !$0.isTask }
        var rejected: UInt64 = 0
        calls?.forEach { rejected += UInt64($0.pointee.count) }
        pointee.rejected += rejected
        let tasks = pointee.is_running ? nil : takeAll { _ in true }
        peal_mailbox_unlock(self)
        peal_mailbox_signal(self)
        calls?.discardAll()
        tasks?.discardAll()
    }
}

extension UnsafeMutablePointer<peal_task> {
    /// An item is a task's first member.
    var item: QueueItem { UnsafeMutableRawPointer(self).assumingMemoryBound(to: peal_item.self) }
}
