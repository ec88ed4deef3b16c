internal import CPealSupport

/// Tells of steps whose time limit passes, while they run. There is one timer at a time for all: it is set
/// when a step begins that is due before it, and looks at all when it fires.
extension Mediator {
    func watch(_ step: ModuleStep) {
        guard step.deadline != .max else { return }
        let isSet = withState { state in
            state.watched[step.number] = step
            guard step.deadline < state.nextWatch else { return false }
            state.nextWatch = step.deadline
            return true
        }
        if isSet { setTimer(step.deadline) }
    }

    private func setTimer(_ deadline: UInt64) {
        let now = peal_clock_now()
        let milliseconds = deadline > now ? UInt32(clamping: (deadline - now + 999_999) / 1_000_000) : 0
        peal_dispatch_after(milliseconds, UnsafeMutableRawPointer(bitPattern: UInt(center.number))) { context in
            let center = Handles.centers.find(UInt64(UInt(bitPattern: context)))
            center?.mediator.withLock({ $0.mediator })?.lookForOverdue()
        }
    }

    private func lookForOverdue() {
        let (overdue, next) = withState { state -> ([ModuleStep], UInt64) in
            let now = peal_clock_now()
            let overdue = state.watched.values.filter { $0.deadline <= now && !$0.isReported }
            for step in overdue { state.watched[step.number] = nil }
            // A timer that was set for an earlier step may come before the one that counts: it sets it again.
            state.nextWatch = state.watched.values.map(\.deadline).min() ?? .max
            return (overdue, state.nextWatch)
        }
        if next != .max { setTimer(next) }
        for step in overdue { report(step) }
    }

    /// Once for each step.
    func report(_ step: ModuleStep) {
        let isFirst = withState { _ in
            defer { step.isReported = true }
            step.module.status.isOverdue = true
            return !step.isReported
        }
        if isFirst { events.tellOverdue(step.module, step.kind, after: peal_clock_now() - step.began) }
    }
}
