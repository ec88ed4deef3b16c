internal import CPealSupport

/// Tells of steps whose time limit passes, while they run. There is one work of the executor for all, which looks at
/// all of them: it runs at the earliest limit.
extension Mediator {
    func watch(_ step: ModuleStep) {
        guard step.deadline != .max else { return }
        withState { $0.watched[step.number] = step }
        lookAgain(at: step.deadline)
    }

    private func lookAgain(at deadline: UInt64) {
        let context = UnsafeMutableRawPointer(bitPattern: UInt(center.number))
        let look: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            let center = Handles.centers.find(UInt64(UInt(bitPattern: context)))
            center?.mediator.withLock({ $0.mediator })?.lookForOverdue()
        }
        peal_executor_run_at(overdue, Int64(clamping: deadline), look, context)
    }

    private func lookForOverdue() {
        let (overdue, next) = withState { state -> ([ModuleStep], UInt64?) in
            let now = peal_clock_now()
            let overdue = state.watched.values.filter { $0.deadline <= now && !$0.isReported }
            for step in overdue { state.watched[step.number] = nil }
            return (overdue, state.watched.values.map(\.deadline).min())
        }
        if let next { lookAgain(at: next) }
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
