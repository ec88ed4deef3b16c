internal import CPealSupport

extension Mediator {
    /// Stops one that is claimed: it hears nothing more, and once no call of it runs its stop does. One that has
    /// been removed is released.
    ///
    /// - Parameter patience: Until when to wait, if that is before its own time limit.
    /// - Returns: False when its code may still run.
    func stop(_ module: Module, patience: UInt64 = .max, because reason: String? = nil, leavesLists: Bool = true) -> Bool {
        let began = peal_clock_now()
        let limit = min(module.deadline(from: began), patience, withState { $0.phase == .draining ? $0.patience : .max })
        withState { _ in
            module.status.stop = (began, 0)
            module.status.patience = limit
        }
        if let reason { events.tellFailed(module, .stop, reason) }
        endObservations(of: module, leavesLists: leavesLists)
        guard waitForCalls(of: module, deadline: limit) else {
            noteCallsLast(of: module, since: began)
            handOver(module) {
                _ = self.waitForCalls(of: module, deadline: .max)
                _ = self.callStop(of: module, began: peal_clock_now(), patience: .max, because: reason)
            }
            return false
        }
        return callStop(of: module, began: began, patience: patience, because: reason)
    }

    /// Reports calls that take longer than the module may, or notes that the time of all together has passed.
    private func noteCallsLast(of module: Module, since began: UInt64) {
        let took = peal_clock_now() - began
        let isOverdue = withState { state in
            let isOverdue = began + took >= module.deadline(from: began)
            if isOverdue { module.status.isOverdue = true } else { state.isCutShort = true }
            return isOverdue
        }
        if isOverdue { events.tellOverdue(module, .stop, after: took) }
    }

    private func callStop(of module: Module, began: UInt64, patience: UInt64, because reason: String?) -> Bool {
        let step = ModuleStep.make(.stop, of: module, began: began)
        let sentence = step.map { describe(run($0, patience: patience), module) } ?? "there are too many steps in the process"
        let took = peal_clock_now() - withState { _ in module.status.stop.began }
        let next = noteStopped(module, step, took: took, failure: sentence ?? reason)
        if let sentence { events.tellFailed(module, .stop, sentence) } else { events.tellStopped(module, took: took) }
        let isQuiet = withState { _ in module.status.callers.isEmpty }
        return next == .finish ? finish(module) : isQuiet
    }

    private func noteStopped(_ module: Module, _ step: ModuleStep?, took: UInt64, failure: String?) -> MediatorState.Next {
        let (use, next) = withState { state -> (ServiceUse?, MediatorState.Next) in
            module.status.stop.took = took
            if let failure { module.status.lastFailure = failure }
            state.noteNotStarted(module)
            // After a start that failed it may be started again.
            if state.phase == .idle { module.status.order = 0 }
            let next = state.settle(module, as: state.phase == .idle ? .registered : .stopped)
            // A stop that still runs needs its instance.
            if let step, step.isGivenUp, case .running = step.progress {
                step.use = module.status.use.take()
                return (nil, next)
            }
            return (module.status.use.take(), next)
        }
        use?.end()
        tellChange()
        return next
    }

    /// Why a stop failed; nil: it did not.
    private func describe(_ end: StepEnd, _ module: Module) -> String? {
        let failed = "module \(module.name) could not be stopped: "
        return switch end {
        case .done: nil
        case .failed(let sentence): failed + sentence
        case .late: failed + "it took longer than its time limit of \(module.timeout) ms"
        case .givenUp(.overdue): failed + "it has not answered within its time limit of \(module.timeout) ms"
        case .givenUp(.allTogether): failed + "the time for all together has passed, and it was not waited for"
        case .givenUp(.circle): failed + ModuleStep.circle
        }
    }
}
