internal import CPealSupport

extension Mediator {
    /// How a step ended for who waited for it.
    enum StepEnd {
        case done
        case failed(String)
        /// It took longer than its limit, and is over; whether it had done what it should.
        case late(isDone: Bool)
        /// It is not over, and no thread waits for it any more.
        case givenUp(GivenUp)
    }

    enum GivenUp {
        /// Its limit has passed, or that of all together.
        case overdue, allTogether
        /// It waits for a call that waits for it.
        case circle
    }

    /// Runs a step where it belongs, and waits for it.
    ///
    /// - Parameter patience: Until when to wait, if that is before its own limit.
    func run(_ step: ModuleStep, patience: UInt64 = .max) -> StepEnd {
        watch(step)
        if step.module.queue?.isEnded ?? false {
            end(step, .failed(ModuleStep.refusal))
        } else if step.module.runsHere {
            step.call()
        } else if let mailbox = step.module.queue?.mailbox, !step.push(to: mailbox) {
            end(step, .failed("memory is short"))
        }
        let end = waitForEnd(of: step, patience)
        Handles.moduleSteps.remove(step.number)
        if end.isOverdue { report(step) }
        return end
    }

    private func waitForEnd(of step: ModuleStep, _ patience: UInt64) -> StepEnd {
        func limit(_ state: borrowing MediatorState) -> UInt64 {
            min(step.deadline, patience, step.kind == .stop && state.phase == .draining ? state.patience : .max)
        }
        _ = wait(for: .step(step.kind, of: step.module), until: limit) { _ in
            if case .over = step.progress { true } else { false }
        }
        let (end, completion, use) = withState { state -> (StepEnd, Completion?, ServiceUse?) in
            state.watched[step.number] = nil
            if case .over(let result, let time) = step.progress { return (StepEnd(result, isLate: time > step.deadline), nil, nil) }
            step.isGivenUp = true
            let now = peal_clock_now()
            let reason: GivenUp = now >= step.deadline ? .overdue : now >= limit(state) ? .allTogether : .circle
            if case .allTogether = reason { state.isCutShort = true }
            // Who runs gives its use back itself.
            guard case .deferred = step.progress else { return (.givenUp(reason), nil, nil) }
            return (.givenUp(reason), step.completion, step.use.take())
        }
        completion?.abandon()
        use?.end()
        return end
    }

    // MARK: Around the call

    /// - Returns: False when the step is not to be called: no thread waits for it any more, or its module is in
    ///   another state by now.
    func begin(_ step: ModuleStep) -> Bool {
        let thread = Self.thisThread
        let begins = withState { state in
            guard !step.isGivenUp else { return false }
            let status = step.module.status
            guard step.kind.isCalled(in: status) else {
                step.progress = .over(.done, at: peal_clock_now())
                return false
            }
            step.target = status.state == .starting || status.state == .registered ? step.module.context : status.target
            step.progress = .running
            step.module.status.callers.append(thread)
            state.stepThreads[thread, default: 0] += 1
            return true
        }
        if !begins { tellChange() }
        return begins
    }

    func note(_ completion: Completion, of step: ModuleStep) {
        withState { _ in step.completion = completion }
    }

    func endCall(of step: ModuleStep, _ result: inout ModuleStep.Result) {
        let thread = Self.thisThread
        let outcome = result
        let (use, isGivenUp) = withState { state -> (ServiceUse?, Bool) in
            if let index = step.module.status.callers.lastIndex(of: thread) { step.module.status.callers.remove(at: index) }
            let calls = (state.stepThreads[thread] ?? 1) - 1
            state.stepThreads[thread] = calls == 0 ? nil : calls
            guard !step.isGivenUp else { return (step.use.take(), true) }
            if case .deferred = outcome {
                step.progress = step.answer.map { .over($0, at: peal_clock_now()) } ?? .deferred
            } else {
                step.progress = .over(outcome, at: peal_clock_now())
            }
            return (nil, false)
        }
        if isGivenUp { step.completion?.abandon() }
        use?.end()
        tellChange()
    }

    /// Ends a step whose call cannot be made.
    func end(_ step: ModuleStep, _ result: ModuleStep.Result) {
        withState { _ in step.progress = .over(result, at: peal_clock_now()) }
        tellChange()
    }

    /// What its completion brought.
    func answer(_ step: ModuleStep, _ result: ModuleStep.Result) {
        withState { _ in
            switch step.progress {
            case .running: step.answer = result
            case .deferred: step.progress = .over(result, at: peal_clock_now())
            case .waiting, .over: break
            }
        }
        tellChange()
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
        case .late: true
        case .givenUp(.overdue): true
        case .givenUp, .done, .failed: false
        }
    }
}
