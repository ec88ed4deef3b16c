internal import CPealSupport

extension Mediator {
    /// How a stop of all ended for who asked.
    public enum Stopped: Sendable { case done, notWaited, timedOut }

    /// Stops all, for good, in reverse start order.
    ///
    /// - Parameter timeout: Of all together, in milliseconds; the largest number never passes.
    public func stopAll(timeout: UInt32) -> Stopped {
        let deadline = peal_clock_deadline(timeout)
        switch claimStopOfAll(deadline) {
        case .nothing: return .done
        case .told: return .notWaited
        case .mine:
            drain()
        case .mineElsewhere:
            Errand.run { self.drain() }
            return .notWaited
        case .others:
            guard wait(until: { _ in deadline }, { $0.phase == .stopped }) else { return .timedOut }
            return .done
        }
        return withState { $0.isCutShort } ? .timedOut : .done
    }

    private enum Share: Sendable { case nothing, told, mine, mineElsewhere, others }

    private func claimStopOfAll(_ deadline: UInt64) -> Share {
        let thread = Self.thisThread
        let part = withState { state -> Share in
            if state.phase == .stopped { return .nothing }
            // Waiting here would be waiting for this very call.
            let isInside = state.driver == thread || state.stepThreads[thread] != nil || state.started.contains(where: \.isCalledHere)
            if !isInside { state.patience = state.phase == .draining ? min(state.patience, deadline) : deadline }
            switch state.phase {
            case .idle:
                state.phase = .stopped
                return .nothing
            case .starting:
                state.isStopRequested = true
                return isInside ? .told : .others
            case .running:
                state.phase = .draining
                state.driver = isInside ? 0 : thread
                return isInside ? .mineElsewhere : .mine
            case .draining, .stopped:
                return isInside ? .told : .others
            }
        }
        tellChange()
        return part
    }

    private func drain() {
        withState { $0.driver = Self.thisThread }
        lifecycle.broadcast(lifecycle.willTerminate)
        stopStarted()
        withState { state in
            state.phase = .stopped
            state.driver = 0
        }
        tellChange()
    }

    /// After a start that failed or was stopped: what had started is stopped.
    func unwind() {
        let isForGood = withState { state in
            state.isUnwinding = true
            if state.isStopRequested { state.phase = .draining }
            return state.isStopRequested
        }
        if isForGood { lifecycle.broadcast(lifecycle.willTerminate) }
        stopStarted()
        withState { state in
            state.isUnwinding = false
            state.driver = 0
            state.readyModules = []
            state.ready = ReadyModules()
            state.phase = state.isStopRequested ? .stopped : .idle
            guard state.phase == .idle else { return }
            for module in state.byName.values where module.status.state == .stopped {
                module.status.state = .registered
                module.status.order = 0
            }
        }
        tellChange()
    }

    /// Stops what runs, the last first. Lists are made shorter once, at the end: what was removed from them
    /// is not called.
    private func stopStarted() {
        var ended: [Observation] = []
        var passed: Set<UInt64> = []
        while let module = claimLast(&passed) {
            ended += withState { _ in module.status.observations }
            _ = stop(module, leavesLists: false)
            if withState({ _ in module.status.isLeaving }) { _ = finish(module) }
        }
        dropFromLists(ended)
    }

    /// The last that runs. One that another thread starts or stops is waited for, as long as it has time.
    private func claimLast(_ passed: inout Set<UInt64>) -> Module? {
        while true {
            let skipped = passed
            let found = withState { state -> (Module, Bool)? in
                guard let last = state.started.last(where: { !skipped.contains($0.number) }) else { return nil }
                return (last, state.claimStop(last))
            }
            guard let (module, isClaimed) = found else { return nil }
            if isClaimed { return module }
            let isOver = wait(until: { min($0.patience, module.status.patience) }) { _ in
                module.status.state != .starting && module.status.state != .stopping
            }
            guard !isOver else { continue }
            passed.insert(module.number)
            withState { $0.isCutShort = true }
        }
    }

    /// Stops one that is claimed: it hears nothing more, and then its stop runs.
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
        let isHeard = waitForEvents(of: module, deadline: limit)
        if !isHeard {
            let isOverdue = peal_clock_now() >= module.deadline(from: began)
            if isOverdue, let step { report(step) }
            if !isOverdue { withState { $0.isCutShort = true } }
        }
        let sentence = step.map { describe(run($0, patience: patience), module) } ?? "there are too many steps in the process"
        let took = peal_clock_now() - began
        let use = withState { state -> ServiceUse? in
            module.status.stop.took = took
            module.status.state = .stopped
            if let sentence = sentence ?? reason { module.status.lastFailure = sentence }
            state.noteNotStarted(module)
            // A stop that still runs needs its instance.
            if let step, step.isGivenUp, case .running = step.progress {
                step.use = module.status.use.take()
                return nil
            }
            return module.status.use.take()
        }
        use?.end()
        tellChange()
        if let sentence { events.tellFailed(module, .stop, sentence) } else { events.tellStopped(module, took: took) }
        return isHeard && withState { _ in module.status.callers.isEmpty }
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
