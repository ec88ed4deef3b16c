internal import CPealSupport

extension Mediator {
    /// Stops one that is claimed: it hears nothing more, and then its stop runs. One that has been removed
    /// is released.
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
        let step = ModuleStep.make(.stop, of: module, began: began)
        let isHeard = waitForEvents(of: module, step, began: began, limit: limit)
        let sentence = step.map { describe(run($0, patience: patience), module) } ?? "there are too many steps in the process"
        let took = peal_clock_now() - began
        let leaves = noteStopped(module, step, took: took, failure: sentence ?? reason)
        if let sentence { events.tellFailed(module, .stop, sentence) } else { events.tellStopped(module, took: took) }
        let isQuiet = isHeard && withState { _ in module.status.callers.isEmpty }
        return leaves ? finish(module) && isQuiet : isQuiet
    }

    /// Waits for the events that the module still hears, and reports it where they take longer than they may.
    ///
    /// - Returns: False when some still run.
    private func waitForEvents(of module: Module, _ step: ModuleStep?, began: UInt64, limit: UInt64) -> Bool {
        if waitForEvents(of: module, deadline: limit) { return true }
        let isOverdue = peal_clock_now() >= module.deadline(from: began)
        if isOverdue, let step { report(step) }
        if !isOverdue { withState { $0.isCutShort = true } }
        return false
    }

    /// - Returns: Whether who removed it meanwhile leaves its end to the caller.
    private func noteStopped(_ module: Module, _ step: ModuleStep?, took: UInt64, failure: String?) -> Bool {
        let (use, leaves) = withState { state -> (ServiceUse?, Bool) in
            module.status.stop.took = took
            module.status.state = .stopped
            // Who removes it from here on finds it stopped, and ends it.
            let leaves = module.status.isLeaving
            if let failure { module.status.lastFailure = failure }
            state.noteNotStarted(module)
            // A stop that still runs needs its instance.
            if let step, step.isGivenUp, case .running = step.progress {
                step.use = module.status.use.take()
                return (nil, leaves)
            }
            return (module.status.use.take(), leaves)
        }
        use?.end()
        tellChange()
        return leaves
    }

    /// Why a stop failed; nil: it did not.
    private func describe(_ end: StepEnd, _ module: Module) -> String? {
        let failed = "module \(module.name) could not be stopped: "
        return switch end {
        case .done: nil
        case .failed(let sentence): failed + sentence
        case .late: failed + "it took longer than its time limit of \(module.timeout) ms"
        case .givenUp(isOverdue: true): failed + "it has not answered within its time limit of \(module.timeout) ms"
        case .givenUp(isOverdue: false): failed + "the time for all together has passed, and it was not waited for"
        }
    }
}

extension MediatorState {
    /// Whether the caller is the one to stop it.
    func claimStop(_ module: Module) -> Bool {
        guard module.status.state == .running else { return false }
        module.status.state = .stopping
        return true
    }
}
