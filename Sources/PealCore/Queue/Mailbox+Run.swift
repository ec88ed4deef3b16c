internal import CPealSupport
import PealCall

extension Mailbox {
    /// Why a run did nothing.
    enum Refusal: Error { case isRunning, notScheduled, tooDeep, outOfMemory }

    /// Runs what waits, one item after the other, until nothing does, the limit is reached or the queue
    /// is paused. One thread at a time.
    ///
    /// - Parameter wasScheduled: Whether this is what somebody was asked for.
    /// - Returns: How many calls were made.
    func run(limit: Int, wasScheduled: Bool = false) -> Result<Int, Refusal> {
        guard let thread = peal_thread_current() else { return .failure(.outOfMemory) }
        guard peal_thread_depth(thread) < UInt32(PEAL_THREAD_DEPTH) else { return .failure(.tooDeep) }
        if wasScheduled, isCurrent { return runAgain() }
        if let refusal = begin(wasScheduled) { return .failure(refusal) }
        return entered(on: thread, submits: false) {
            var called = runItems(limit: limit)
            while resumeIfRequested() { called += runItems(limit: limit) }
            return .success(called)
        }
    }

    /// An executor that runs what it is given at once, from inside the run that asks it, leaves it to that
    /// run: else a call that broadcasts would nest without end.
    private func runAgain() -> Result<Int, Refusal> {
        locked {
            guard pointee.is_scheduled else { return .failure(.notScheduled) }
            pointee.is_scheduled = false
            pointee.runs_again = true
            return .success(0)
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

    /// How many items wait, tasks among them.
    var length: Int { locked { pointee.waiting_items + pointee.waiting_tasks } }

    private func begin(_ wasScheduled: Bool) -> Refusal? {
        locked {
            if wasScheduled {
                guard pointee.is_scheduled else { return .notScheduled }
                pointee.is_scheduled = false
            }
            guard !pointee.is_running else { return .isRunning }
            pointee.is_running = true
            return nil
        }
    }

    /// Who waits for room is woken once half of it is free: else a full queue, and those who fill it, would
    /// take turns at each call. What is left when the run ends, they are told then.
    private var hasRoomAgain: Bool { pointee.waiting_items <= pointee.capacity / 2 }

    private func runItems(limit: Int) -> Int {
        var called = 0
        var left = limit
        var used = UsedGroup()
        peal_mailbox_lock_alone(self)
        while true {
            while left > 0, pointee.pauses == 0, let item = takeFirst() {
                if peal_mailbox_has_waiters(self), hasRoomAgain { peal_mailbox_signal(self) }
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
            // Observers may end by this, as part of the run; and more may come meanwhile.
            guard !used.isNone else { break }
            let isSerial = pointee.kind == PEAL_MAILBOX_SERIAL
            peal_mailbox_unlock(self)
            used.turn(to: nil)
            if isSerial, left > 0 { peal_mailbox_linger(self) }
            peal_mailbox_lock_alone(self)
        }
        pointee.is_running = false
        let isScheduled = markScheduledIfNeeded()
        if pointee.first == nil || pointee.pauses > 0 { peal_mailbox_set_descriptor(self, false) }
        peal_mailbox_signal(self)
        let isEnded = pointee.is_ended
        peal_mailbox_unlock(self)
        if isScheduled { _ = schedule() }
        if isEnded { finishIfIdle() }
        return called
    }
}

/// The threads that run serial queues, timers, time limits and detached work. See executor.h.
enum Executor {
    /// Makes sure that there are threads, before anything that needs them begins. No lock may be held.
    static func start() throws(Failure) {
        guard peal_executor_start() else {
            throw Failure(.limit, "the system gives the process no thread, which queues, timers and time limits need; see RLIMIT_NPROC and the limits of its control group")
        }
    }
}
