internal import CPealSupport

/// The start of all modules.
extension Mediator {
    /// Starts all modules, each after its dependencies.
    public func start() throws(Failure) {
        let order = try beginStart()
        lifecycle.broadcast(lifecycle.willStart)
        notifyOfWillStart(order)
        do throws(Failure) {
            while let module = try dequeue() {
                if let failure = start(module) { throw failure }
            }
        } catch {
            withState { state in _ = state.request(.startFailed) }
            drain()
            throw error
        }
        signalChange()
        lifecycle.broadcast(lifecycle.didStart)
    }

    /// Checks the order of all modules, and only then changes the phase.
    private func beginStart() throws(Failure) -> [Module] {
        // Time limits need the executor. So do actions that must not be performed in the module's own call.
        try Executor.start()
        let thread = Self.thisThread
        return try withState { (state) throws(Failure) in
            guard state.stepThreads[thread] == nil else {
                throw Failure(
                    .wouldDeadlock,
                    "a start from a step of a module would wait for itself; start the modules outside of their steps")
            }
            guard PhaseRequest.start.transition(from: state.phase).action == .start else { throw .notIdle(state.phase) }
            if let late = state.started.first(where: { $0.status.membership == .member }) { throw .stillStops(late) }
            let modules = state.byName.values.ordered { SortKey($0.sequence) }
            let nodes = modules.map { ModuleOrder.Node(name: $0.name, rank: $0.rank, dependencies: $0.dependencies) }
            let order = try ModuleOrder(nodes).sort().map { modules[$0] }
            _ = state.request(.start)
            state.driver = thread
            state.prepareStart(of: modules)
            return order
        }
    }

    /// Notifies the modules whose `self` exists and whose functions run on this thread. The others are notified just
    /// before their start.
    private func notifyOfWillStart(_ order: [Module]) {
        for module in order where module.service == nil && module.queue == nil {
            let isCalled = withState { state in
                guard state.phase == .starting, module.status.membership == .member else { return false }
                module.status.wasNotifiedOfWillStart = true
                return true
            }
            guard isCalled, !module.functions(for: lifecycle.willStart).isEmpty else { continue }
            if let step = try? ModuleStep.make(.willStart, of: module) { _ = run(step) }
        }
    }

    /// - Returns: The next module to start, or nil if all run.
    private func dequeue() throws(Failure) -> Module? {
        try withState { (state) throws(Failure) in
            guard state.phase == .starting else { throw .stoppedMeanwhile }
            while let module = state.dequeueReady() {
                // The start fails later if a dependency was removed meanwhile.
                guard module.dependencies.allSatisfy(state.isRunning) else { continue }
                if state.request(.start, of: module) == .start { return module }
            }
            if let failure = state.failureOfRegistered { throw failure }
            _ = state.request(.started)
            state.driver = 0
            state.clearReady()
            return nil
        }
    }
}

/// The start of one module.
extension Mediator {
    /// Starts a module that was registered while the others run.
    func startLate(_ module: Module) throws(Failure) {
        var failure = start(module)
        if failure == nil, !module.functions(for: lifecycle.didStart).isEmpty {
            if let step = try? ModuleStep.make(.didStart, of: module) { _ = run(step) }
        }
        let action = withState { state -> ModuleAction in
            if failure == nil, module.status.membership == .member, state.phase != .running {
                failure = .stoppedMeanwhile
            }
            return failure == nil ? .none : state.request(.remove, of: module)
        }
        perform(action, on: module)
        if let failure { throw failure }
    }

    /// Performs the start of a module.
    private func start(_ module: Module) -> Failure? {
        let notifies = withState { _ in !module.status.wasNotifiedOfWillStart }
        let step: ModuleStep
        do throws(Failure) {
            step = try ModuleStep.make(.start, of: module, notifiesOfWillStart: notifies)
        } catch {
            return fail(module, nil, error.kind, error.sentence)
        }
        withState { _ in
            module.status.start = (step.began, 0)
            module.status.deadline = step.deadline
        }
        let late = "it took longer than its time limit of \(module.timeout) ms"
        switch run(step) {
        case .done: return complete(module, step)
        case .failed(let sentence): return fail(module, step, .start, sentence)
        case .late(isDone: false): return fail(module, step, .timeout, late)
        case .late(isDone: true): return undo(module, step, late)
        case .abandoned(.cycle(let call)): return fail(module, nil, .wouldDeadlock, ModuleStep.cycle(call))
        case .abandoned:
            return fail(module, nil, .timeout, "it has not answered within its time limit of \(module.timeout) ms")
        }
    }

    /// Registers the observers of a module that has started. If this fails, the start has failed, and the module is
    /// stopped.
    private func complete(_ module: Module, _ step: ModuleStep) -> Failure? {
        let took = peal_clock_now() - step.began
        let (failure, action) = withState { state -> (Failure?, ModuleAction) in
            module.status.note(step, took)
            if let failure = observe(module, state) {
                state.request(.startUndone, of: module)
                return (module.noteFailedStart(failure.kind, failure.sentence), .none)
            }
            state.enqueueDependents(of: module)
            return (nil, state.request(.started, of: module))
        }
        signalChange()
        if let failure {
            events.notifyFailed(module, .start, failure.sentence)
        } else {
            events.notifyStarted(module, took: took)
            perform(action, on: module)
        }
        return failure
    }

    /// Notes the failure of a module that has started too late. The stop that follows the failure includes it.
    private func undo(_ module: Module, _ step: ModuleStep, _ sentence: String) -> Failure {
        let took = peal_clock_now() - step.began
        let failure = withState { state in
            module.status.note(step, took)
            state.request(.startUndone, of: module)
            return module.noteFailedStart(.timeout, sentence)
        }
        signalChange()
        events.notifyFailed(module, .start, failure.sentence)
        return failure
    }

    /// - Parameter step: Nil if the step's call may still run. That call then releases the module's service.
    private func fail(_ module: Module, _ step: ModuleStep?, _ kind: Failure.Kind, _ sentence: String) -> Failure {
        let (failure, use, action) = withState { state -> (Failure, ServiceUse?, ModuleAction) in
            module.status.start.took = peal_clock_now() - module.status.start.began
            let failure = module.noteFailedStart(kind, sentence)
            return (failure, step?.use.take(), state.request(.startFailed, of: module))
        }
        signalChange()
        use?.end()
        events.notifyFailed(module, .start, failure.sentence)
        perform(action, on: module)
        return failure
    }
}

extension Module {
    fileprivate func noteFailedStart(_ kind: Failure.Kind, _ sentence: String) -> Failure {
        let failure = Failure(kind, "module \(name) could not be started: \(sentence)")
        status.lastFailure = failure.sentence
        return failure
    }
}

extension ModuleStatus {
    fileprivate mutating func note(_ step: ModuleStep, _ took: UInt64) {
        start.took = took
        target = step.target
        use = step.use.take()
    }
}

extension Failure {
    fileprivate static let stoppedMeanwhile = Failure(
        .state, "the modules were stopped while they started; they cannot be started again")

    fileprivate static func stillStops(_ module: Module) -> Failure {
        Failure(
            .state,
            "module \(module.name) is still being stopped after the previous start; start again when it has stopped")
    }

    static func notIdle(_ phase: ModulesPhase) -> Failure {
        switch phase {
        case .starting, .cancelled, .unwinding:
            Failure(
                .state, "the modules are being started already, by another thread or by the step that makes this call")
        case .draining, .stopped:
            Failure(
                .state, "the modules have been stopped, which is final; create another center to start modules again")
        case .idle, .running: Failure(.state, "the modules run already")
        }
    }
}
