internal import CPealSupport

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
        var drain = peal_drain(mailbox: self, outer: thread.pointee.drains)
        return withUnsafeMutablePointer(to: &drain) { drain in
            thread.pointee.drains = drain
            defer { thread.pointee.drains = drain.pointee.outer }
            var called = runItems(limit: limit)
            while goesOn() { called += runItems(limit: limit) }
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

    private func goesOn() -> Bool {
        locked {
            guard pointee.runs_again, !pointee.is_running else { return false }
            pointee.runs_again = false
            pointee.is_running = true
            return true
        }
    }

    /// How many items wait, tasks among them.
    var length: Int {
        locked {
            var length = 0
            pointee.first?.forEach { _ in length += 1 }
            return length
        }
    }

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

    private func runItems(limit: Int) -> Int {
        var called = 0
        var left = limit
        peal_mailbox_lock(self)
        while left > 0, pointee.pauses == 0, let item = takeFirst() {
            if pointee.sleepers > 0 { peal_mailbox_tell(self) }
            if !item.isTask { pointee.waiting -= UInt64(item.pointee.count) }
            peal_mailbox_unlock(self)
            left -= 1
            let listed = Int(item.pointee.count)
            let made = item.run()
            called += made
            peal_mailbox_lock(self)
            pointee.delivered += UInt64(made)
            pointee.dropped += UInt64(listed - made)
        }
        pointee.is_running = false
        if pointee.first == nil || pointee.pauses > 0 { peal_mailbox_set_descriptor(self, false) }
        let isScheduled = takesScheduling()
        peal_mailbox_tell(self)
        peal_mailbox_unlock(self)
        if isScheduled { _ = schedule() }
        return called
    }
}
