internal import CPealSupport
import PealCall

extension Mailbox {
    /// The reasons why a run did nothing.
    enum Refusal: Error { case isRunning, notScheduled, tooDeep, outOfMemory }

    /// Runs the waiting items, one after another, until none waits, the limit is reached or the queue is paused. One
    /// thread at a time.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of items, including tasks; 0: those that wait when the run begins.
    ///   - wasScheduled: True if this is a requested run.
    /// - Returns: The number of calls made.
    func run(limit: Int, wasScheduled: Bool = false) -> Result<Int, Refusal> {
        guard let thread = peal_thread_current() else { return .failure(.outOfMemory) }
        guard peal_thread_reserve(thread, 1) else {
            return .failure(peal_thread_is_full() ? .tooDeep : .outOfMemory)
        }
        if wasScheduled, isCurrent { return runAgain() }
        var limit = limit
        if let refusal = begin(wasScheduled, &limit) { return .failure(refusal) }
        return entered(on: thread, submits: false) {
            var called = runItems(limit: limit)
            if peal_mailbox_executor_of(self) != nil {
                while resumeIfRequested() { called += runItems(limit: limit) }
            }
            return .success(called)
        }
    }

    /// An executor may run its work at once, inside the run that calls it. That inner run does nothing, and the outer
    /// one continues: otherwise a call that broadcasts would nest without end.
    private func runAgain() -> Result<Int, Refusal> {
        locked {
            guard pointee.is_scheduled else { return .failure(.notScheduled) }
            pointee.is_scheduled = false
            pointee.runs_again = true
            return .success(0)
        }
    }

    /// Requests the thread that runs the queue to signal the end of an observer's call, before that thread calls the
    /// next observer of the same item.
    func awaitCall(_ gate: UnsafePointer<UInt32>) {
        locked {
            guard let group = pointee.running else { return }
            peal_entries_mark_awaited(peal_group_entry_at(group, 0), Int(peal_group_count(group)), gate)
        }
    }

    private func resumeIfRequested() -> Bool {
        locked {
            guard pointee.runs_again, !pointee.is_running else { return false }
            pointee.runs_again = false
            pointee.is_running = true
            return true
        }
    }

    private func begin(_ wasScheduled: Bool, _ limit: inout Int) -> Refusal? {
        locked {
            if wasScheduled {
                guard pointee.is_scheduled else { return .notScheduled }
                pointee.is_scheduled = false
            }
            guard !pointee.is_running else { return .isRunning }
            pointee.is_running = true
            if limit == 0 { limit = Int(pointee.waiting_items) + Int(pointee.waiting_tasks) }
            return nil
        }
    }

    /// Threads that wait for room are woken when half of the capacity is free. Otherwise a full queue and the threads
    /// that fill it would alternate at each call. The remaining ones are signalled when the run ends.
    private var hasRoomAgain: Bool { Int(pointee.waiting_items) <= capacity / 2 }

    private func runItems(limit: Int) -> Int {
        var called = 0
        var left = limit
        var used = UsedGroup()
        peal_mailbox_lock_alone(self)
        while true {
            let before = left
            while left > 0, pointee.pauses == 0, let item = takeFirst() {
                if peal_mailbox_has_waiters(self), hasRoomAgain { peal_mailbox_signal(self) }
                pointee.running = item.pointee.group
                peal_mailbox_unlock(self)
                left -= 1
                used.turn(to: item.pointee.group)
                let listed = Int(item.pointee.count)
                let made = item.run()
                called += made
                peal_mailbox_lock_alone(self)
                pointee.delivered += UInt64(made)
                pointee.dropped += UInt64(listed - made)
            }
            pointee.running = nil
            // The release of the last group may end observers, as part of the run. More items may be pushed meanwhile.
            guard left < before else { break }
            let isSerial = peal_mailbox_kind_of(self) == PEAL_MAILBOX_SERIAL
            peal_mailbox_unlock(self)
            used.turn(to: nil)
            if isSerial, left > 0 { peal_mailbox_spin(self) }
            peal_mailbox_lock_alone(self)
        }
        pointee.is_running = false
        let isScheduled = markScheduledIfNeeded()
        if pointee.first == nil || pointee.pauses > 0 { peal_mailbox_set_descriptor(self, false) }
        let isEnded = pointee.is_ended
        peal_mailbox_unlock(self)
        peal_mailbox_signal(self)
        if isScheduled { _ = schedule() }
        if isEnded { finishIfIdle() }
        return called
    }
}

/// The threads that run serial queues, timers, time limits and detached work. See executor.h.
enum Executor {
    /// Makes sure that there are threads, before an operation that needs them begins. The caller must hold no lock.
    static func start() throws(Failure) {
        guard peal_executor_start() else {
            throw Failure(
                .limit,
                "the system refuses the process a thread, which queues, timers and time limits need; see RLIMIT_NPROC and the limits of its control group"
            )
        }
    }
}
