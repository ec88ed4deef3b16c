internal import CPealSupport

/// The stop of all modules.
extension Mediator {
    /// The result of a stop of all modules.
    public enum Stopped: Sendable {
        case done, timedOut
        /// The calling thread is inside a call of a module, so another thread stops the modules.
        case notWaited
        /// Code of a module still runs, or its stop function is still to be called. Its other calls have ended.
        case stillRuns
    }

    /// Stops all modules in reverse start order. Stopping is final.
    ///
    /// - Parameter timeout: For all modules together, in milliseconds. The largest number is no limit.
    public func stopAll(timeout: UInt32) -> Stopped {
        let deadline = peal_clock_deadline(timeout)
        endLostRemovals()
        let (action, isOwnCall) = requestStop(deadline)
        switch action {
        case .stop where isOwnCall:
            DetachedWork.run { self.drain() }
            return .notWaited
        case .stop: drain()
        case .wait where isOwnCall: return .notWaited
        case .wait:
            // The other stop's limit may have expired before this one.
            var isCut = false
            let isOver = wait(for: .stop(of: self), until: { _ in deadline }, cut: { _ in isCut = true }) {
                $0.phase == .stopped
            }
            guard isOver else { return isCut ? .notWaited : .timedOut }
        case .none where isOwnCall: return .notWaited
        case .none: break
        case .start, .enqueue, .release, .refuse: return .done
        }
        waitForReleases(deadline)
        waitForReports()
        return withState { state in
            if action != .none, state.hasMissedStopDeadline { return .timedOut }
            return state.isQuiet ? .done : .stillRuns
        }
    }

    /// - Returns: The action, and whether it would wait for the calling thread's own call.
    private func requestStop(_ deadline: UInt64) -> (ModuleAction, isOwnCall: Bool) {
        let thread = Self.thisThread
        let (action, isOwnCall) = withState { state -> (ModuleAction, Bool) in
            let reportsHere = state.reporters[thread] != nil
            guard state.phase != .stopped else { return (state.request(.stop), reportsHere) }
            let isOwnCall =
                reportsHere || state.driver == thread || state.stepThreads[thread] != nil
                || state.started.contains { $0.isCalledHere || state.needsThisThread($0) }
            if !isOwnCall {
                state.stopDeadline = state.phase == .draining ? min(state.stopDeadline, deadline) : deadline
            }
            let action = state.request(.stop)
            if action == .stop { state.driver = isOwnCall ? 0 : thread }
            return (action, isOwnCall)
        }
        signalChange()
        return (action, isOwnCall)
    }

    /// Waits until other threads have released the modules that they remove, each up to its time limit.
    private func waitForReleases(_ deadline: UInt64) {
        let leaving = withState { state in
            state.leaving.values.filter { !$0.isCalledHere && !state.waitsForThisThread($0) }
        }
        for module in leaving {
            let limit = min(deadline, module.deadline(from: peal_clock_now()))
            _ = wait(for: .action(on: module), until: { _ in limit }) { _ in module.status.membership == .released }
        }
    }

    /// Stops the modules that run, for a stop of all or after a start that failed.
    func drain() {
        let isFinal = withState { state in
            state.driver = Self.thisThread
            return state.phase == .draining
        }
        if isFinal { lifecycle.broadcast(lifecycle.willTerminate) }
        stopStarted()
        withState { state in
            _ = state.request(.stopped)
            state.driver = 0
            state.clearReady()
            guard state.phase == .idle else { return }
            // A module that has failed stays so until the next start.
            for module in state.byName.values where module.status.state == .stopped {
                state.request(.reset, of: module)
            }
        }
        signalChange()
    }

    /// Stops all started modules, in reverse start order.
    private func stopStarted() {
        var passed: Set<UInt64> = []
        while let module = requestStopOfLast(&passed) {
            _ = stop(module)
            // Its stop may be performed later, when its calls have ended.
            passed.insert(module.id)
        }
    }

    /// Requests the stop of the last module that runs. If another thread starts or stops that module, waits until the
    /// module's deadline.
    ///
    /// - Returns: The module for the calling thread to stop; nil if none is left.
    private func requestStopOfLast(_ passed: inout Set<UInt64>) -> Module? {
        while true {
            let skipped = passed
            let found = withState { state -> (Module, ModuleAction)? in
                guard let last = state.started.last(where: { !skipped.contains($0.id) }) else { return nil }
                return (last, state.request(.stop, of: last))
            }
            guard let (module, action) = found else { return nil }
            if action == .stop { return module }
            let isOver = wait(for: .action(on: module), until: { min($0.stopDeadline, module.status.deadline) }) { _ in
                !module.status.isInAction
            }
            guard !isOver else { continue }
            passed.insert(module.id)
            withState { $0.noteStopDeadline() }
        }
    }
}

/// The stop of one module.
extension Mediator {
    /// Performs the stop of a module. Its observers end, and its stop function is called when none of its calls runs
    /// any more. A module that was removed meanwhile is then released.
    ///
    /// - Parameter deadline: The end of the wait, if that is before the end of the module's own time limit.
    /// - Returns: False if the module's code may still run.
    func stop(_ module: Module, deadline: UInt64 = .max, because reason: String? = nil) -> Bool {
        let began = peal_clock_now()
        let limit = withState { state in
            let limit = min(
                module.deadline(from: began), deadline, state.phase == .draining ? state.stopDeadline : .max)
            module.status.stop = (began, 0)
            module.status.deadline = limit
            return limit
        }
        if let reason { events.notifyFailed(module, .stop, reason) }
        endObservations(of: module)
        guard waitForCalls(of: module, deadline: limit) else {
            noteOverdueCalls(of: module, since: began)
            performElsewhere(on: module) {
                _ = self.waitForCalls(of: module, deadline: .max)
                let began = peal_clock_now()
                // From now on other threads wait for the stop again, until this deadline.
                self.withState { _ in module.status.deadline = module.deadline(from: began) }
                _ = self.callStop(of: module, began: began, deadline: .max, because: reason)
            }
            return false
        }
        return callStop(of: module, began: began, deadline: deadline, because: reason)
    }

    /// Reports calls that exceed the module's time limit, or notes that the deadline of all modules has passed.
    private func noteOverdueCalls(of module: Module, since began: UInt64) {
        let took = peal_clock_now() - began
        let isOverdue = withState { state in
            let isOverdue = began + took >= module.deadline(from: began)
            if isOverdue { module.status.isOverdue = true } else { state.noteStopDeadline() }
            return isOverdue
        }
        if isOverdue { events.notifyOverdue(module, .stop, after: took) }
    }

    private func callStop(of module: Module, began: UInt64, deadline: UInt64, because reason: String?) -> Bool {
        var step: ModuleStep?
        let end: StepEnd
        do throws(Failure) {
            let made = try ModuleStep.make(.stop, of: module, began: began)
            step = made
            end = run(made, deadline: deadline)
        } catch {
            end = .failed(error.sentence)
        }
        let failure = end.failure(of: module)
        let took = peal_clock_now() - withState { _ in module.status.stop.began }
        let (use, action) = withState { [step] state -> (ServiceUse?, ModuleAction) in
            module.status.stop.took = took
            if let sentence = failure ?? reason { module.status.lastFailure = sentence }
            let action = state.request(.stopped, of: module)
            // Idle: the start of all modules that started this one has failed and was undone.
            if state.phase == .idle { state.request(.reset, of: module) }
            // A stop that still runs needs its instance.
            if let step, step.isAbandoned, case .running = step.progress {
                step.use = module.status.use.take()
                return (nil, action)
            }
            return (module.status.use.take(), action)
        }
        use?.end()
        signalChange()
        if let failure { events.notifyFailed(module, .stop, failure) } else { events.notifyStopped(module, took: took) }
        let isQuiet = withState { _ in module.status.callers.isEmpty }
        return action == .release ? release(module) : isQuiet
    }
}

extension Mediator.StepEnd {
    /// Why a stop failed, or nil.
    fileprivate func failure(of module: Module) -> String? {
        let reason: String? =
            switch self {
            case .done: nil
            case .failed(let sentence): sentence
            case .late: "it took longer than its time limit of \(module.timeout) ms"
            case .abandoned(.overdue): "it has not answered within its time limit of \(module.timeout) ms"
            case .abandoned(.cutShort): "the time limit of all stops has expired, and this stop was not waited for"
            case .abandoned(.cycle(let call)): ModuleStep.cycle(call)
            }
        return reason.map { "module \(module.name) could not be stopped: \($0)" }
    }
}

extension MediatorState {
    /// Returns true if another thread's action on the module may need the calling thread, because that thread runs the
    /// module's queue or is the main thread.
    fileprivate func needsThisThread(_ module: Module) -> Bool {
        (module.status.isInAction || phase != .running) && module.queue != nil && module.runsHere
    }
}
