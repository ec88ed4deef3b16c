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
            let isInside = state.driver == thread || state.stepThreads[thread] != nil
                || state.started.contains { $0.isCalledHere || state.needsThisThread($0) }
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
            // It is stopped, or will be when its calls have ended.
            passed.insert(module.number)
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
            let isOver = wait(for: .move(of: module), until: { min($0.patience, module.status.patience) }) { _ in !module.status.isMoving }
            guard !isOver else { continue }
            passed.insert(module.number)
            withState { $0.isCutShort = true }
        }
    }
}

extension MediatorState {
    /// Whether another thread moves the module, and may need the calling one for that: its queue, or the main
    /// thread.
    fileprivate func needsThisThread(_ module: Module) -> Bool {
        (module.status.isMoving || phase != .running) && module.queue != nil && module.runsHere
    }
}
