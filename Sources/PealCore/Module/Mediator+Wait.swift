internal import CPealSupport

/// Waits for modules. A wait that is part of a circle is cut: see WaitGraph.
extension Mediator {
    /// Waits until `isOver` says so, under the lock.
    ///
    /// - Returns: False when the time has passed or the wait was cut.
    func wait(
        for subject: ThreadWait.Subject, until deadline: (borrowing MediatorState) -> UInt64,
        _ isOver: (borrowing MediatorState) -> Bool
    ) -> Bool {
        if withState({ isOver($0) }) { return true }
        return WaitGraph.waiting(for: subject) { thread in
            var isDone = false
            _ = wait(until: deadline) { state in
                isDone = isOver(state)
                return isDone || thread.isCut
            }
            return isDone
        }
    }

    /// Waits until none of its steps and events runs. Not from one of them.
    ///
    /// - Returns: False when some still do.
    func waitForCalls(of module: Module, deadline: UInt64) -> Bool {
        wait(for: .calls(of: module), until: { _ in deadline }) { _ in module.status.callers.isEmpty }
            && waitForEvents(of: module, deadline: deadline)
    }

    private func waitForEvents(of module: Module, deadline: UInt64) -> Bool {
        let ended = withState { _ in module.status.ended }
        if ended.isEmpty || endsNow(ended, deadline: 0) { return true }
        guard withState({ _ in !module.isCalledHere }) else { return false }
        return WaitGraph.waiting(for: .calls(of: module)) { thread in
            while true {
                let now = peal_clock_now()
                if endsNow(ended, deadline: min(deadline, now + WaitGraph.pause)) { return true }
                guard now < deadline, !thread.isCut else { return false }
            }
        }
    }

    private func endsNow(_ ended: [Observation], deadline: UInt64) -> Bool {
        withExtendedLifetime(ended) { RunningCalls.wait(for: ended.map(\.record), deadline: deadline) }
    }
}
