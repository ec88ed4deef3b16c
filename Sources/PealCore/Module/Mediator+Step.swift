internal import CPealSupport

/// Steps and their time limits. One work of the executor watches all steps of the center: it runs at the earliest
/// limit.
extension Mediator {
    /// The end of a step for the thread that waited for it.
    enum StepEnd {
        case done
        case failed(String)
        /// The step has ended after its limit. `isDone` is true if it has succeeded.
        case late(isDone: Bool)
        /// The step has not ended, and no thread waits for it any more.
        case abandoned(Reason)

        enum Reason {
            /// `overdue`: the step's limit passed. `cutShort`: the deadline of all modules passed first.
            case overdue, cutShort
            /// The step waits for a call that waits for it. `call` is the sentence's name for that call.
            case cycle(call: String)
        }
    }

    /// Runs a step on its thread, and waits for it.
    ///
    /// - Parameter deadline: The end of the wait, if that is before the step's own limit.
    func run(_ step: ModuleStep, deadline: UInt64 = .max) -> StepEnd {
        watch(step)
        if step.module.queue?.isEnded ?? false {
            end(step, .failed(ModuleStep.refusal))
        } else if step.module.runsHere {
            step.call()
        } else if let mailbox = step.module.queue?.mailbox, !step.push(to: mailbox) {
            end(step, .failed("out of memory"))
        }
        let end = waitForEnd(of: step, deadline)
        Handles.moduleSteps.remove(step.id)
        if end.isOverdue { reportOverdue(step) }
        return end
    }

    private func waitForEnd(of step: ModuleStep, _ deadline: UInt64) -> StepEnd {
        func limit(_ state: borrowing MediatorState) -> UInt64 {
            min(step.deadline, deadline, step.kind == .stop && state.phase == .draining ? state.stopDeadline : .max)
        }
        var call = ""
        _ = wait(
            for: .step(step.kind, of: step.module), until: limit, cut: { call = SeenCall.fact(onThread: $0) }
        ) { _ in
            if case .over = step.progress { true } else { false }
        }
        let (end, completion, use) = withState { state -> (StepEnd, Completion?, ServiceUse?) in
            state.watched[step.id] = nil
            if case .over(let result, let time) = step.progress {
                return (StepEnd(result, isLate: time > step.deadline), nil, nil)
            }
            step.isAbandoned = true
            let now = peal_clock_now()
            let reason: StepEnd.Reason =
                now >= step.deadline ? .overdue : now >= limit(state) ? .cutShort : .cycle(call: call)
            if case .cutShort = reason { state.hasMissedStopDeadline = true }
            // A running call ends its use itself.
            guard case .deferred = step.progress else { return (.abandoned(reason), nil, nil) }
            return (.abandoned(reason), step.completion, step.use.take())
        }
        completion?.abandon()
        use?.end()
        return end
    }
}

/// The work around the call of a step.
extension Mediator {
    /// - Returns: False if the step must not be called: it is abandoned, or its module is in another state by now.
    func begin(_ step: ModuleStep) -> Bool {
        let thread = Self.thisThread
        let begins = withState { state in
            guard !step.isAbandoned else { return false }
            let status = step.module.status
            guard step.kind.isAllowed(in: status.state, status.membership) else {
                step.progress = .over(.done, at: peal_clock_now())
                return false
            }
            step.target = status.state == .starting || status.state == .registered ? step.module.context : status.target
            step.progress = .running
            step.module.status.callers.append(thread)
            state.stepThreads[thread, default: 0] += 1
            return true
        }
        if !begins { signalChange() }
        return begins
    }

    func note(_ completion: Completion, of step: ModuleStep) {
        withState { _ in step.completion = completion }
    }

    func endCall(of step: ModuleStep, _ result: ModuleStep.Result) {
        let thread = Self.thisThread
        let (use, isAbandoned) = withState { state -> (ServiceUse?, Bool) in
            if let index = step.module.status.callers.lastIndex(of: thread) {
                step.module.status.callers.remove(at: index)
            }
            let calls = (state.stepThreads[thread] ?? 1) - 1
            state.stepThreads[thread] = calls == 0 ? nil : calls
            guard !step.isAbandoned else { return (step.use.take(), true) }
            if case .deferred = result {
                step.progress = step.answer.map { .over($0, at: peal_clock_now()) } ?? .deferred
            } else {
                step.progress = .over(result, at: peal_clock_now())
            }
            return (nil, false)
        }
        if isAbandoned { step.completion?.abandon() }
        use?.end()
        signalChange()
    }

    /// Ends a step that cannot be called.
    func end(_ step: ModuleStep, _ result: ModuleStep.Result) {
        withState { _ in step.progress = .over(result, at: peal_clock_now()) }
        signalChange()
    }

    /// Ends a deferred step with the result from its completion.
    func answer(_ step: ModuleStep, _ result: ModuleStep.Result) {
        withState { _ in
            switch step.progress {
            case .running: step.answer = result
            case .deferred: step.progress = .over(result, at: peal_clock_now())
            case .waiting, .over: break
            }
        }
        signalChange()
    }
}

/// Notifications about overdue steps, while they run.
extension Mediator {
    private func watch(_ step: ModuleStep) {
        guard step.deadline != .max else { return }
        withState { $0.watched[step.id] = step }
        scheduleCheck(at: step.deadline)
    }

    private func scheduleCheck(at deadline: UInt64) {
        let context = UnsafeMutableRawPointer(bitPattern: UInt(center.id))
        let check: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            let center = Handles.centers.find(UInt64(UInt(bitPattern: context)))
            center?.mediator.withLock({ $0.mediator })?.reportOverdueSteps()
        }
        peal_executor_run_at(overdueWork, Int64(clamping: deadline), check, context)
    }

    private func reportOverdueSteps() {
        let (overdue, next) = withState { state -> ([ModuleStep], UInt64?) in
            let now = peal_clock_now()
            let due = state.watched.values.filter { $0.deadline <= now }
            for step in due { state.watched[step.id] = nil }
            return (due.filter { state.beginReport(of: $0) }, state.watched.values.map { $0.deadline }.min())
        }
        if let next { scheduleCheck(at: next) }
        for step in overdue { notifyOverdue(step) }
    }

    /// Notifies observers, unless another thread does or has done so.
    private func reportOverdue(_ step: ModuleStep) {
        if withState({ $0.beginReport(of: step) }) { notifyOverdue(step) }
    }

    private func notifyOverdue(_ step: ModuleStep) {
        events.notifyOverdue(step.module, step.kind, after: peal_clock_now() - step.began)
        withState { $0.endReport() }
        signalChange()
    }

    /// Waits until no thread notifies observers of an overdue step. The wait is cut if such an observer waits for the
    /// calling thread.
    func waitForReports() {
        _ = wait(for: .reports(of: self), until: { _ in .max }) { $0.reporters.isEmpty }
    }
}

extension MediatorState {
    /// - Returns: True if the calling thread must notify observers, and end the report. Each step is reported once. One
    ///   that has ended in time is not.
    fileprivate mutating func beginReport(of step: ModuleStep) -> Bool {
        if case .over(_, let time) = step.progress, time <= step.deadline { return false }
        step.module.status.isOverdue = true
        guard !step.isReported else { return false }
        step.isReported = true
        reporters[Mediator.thisThread, default: 0] += 1
        return true
    }

    fileprivate mutating func endReport() {
        let thread = Mediator.thisThread
        let left = (reporters[thread] ?? 1) - 1
        reporters[thread] = left == 0 ? nil : left
    }
}

extension Mediator.StepEnd {
    fileprivate init(_ result: ModuleStep.Result, isLate: Bool) {
        switch result {
        case .done, .deferred: self = isLate ? .late(isDone: true) : .done
        case .failed(let sentence): self = isLate ? .late(isDone: false) : .failed(sentence)
        }
    }

    fileprivate var isOverdue: Bool {
        switch self {
        case .late, .abandoned(.overdue): true
        case .abandoned, .done, .failed: false
        }
    }
}
