internal import CPealSupport

extension Mediator {
    /// Starts one that is claimed. One that fails is not among the started any more.
    func start(_ module: Module) -> Failure? {
        let tells = withState { _ in !module.status.hasHeardWillStart }
        guard let step = ModuleStep.make(.start, of: module, tellsWillStart: tells) else {
            return fail(module, .start, nil, .limit, "there are too many steps in the process")
        }
        withState { _ in
            module.status.start = (step.began, 0)
            module.status.patience = step.deadline
        }
        switch run(step) {
        case .done: return noteStarted(module, step)
        case .failed(let sentence): return fail(module, .start, step, .start, sentence)
        case .givenUp(.circle): return fail(module, .start, nil, .wouldDeadlock, ModuleStep.circle)
        case .givenUp:
            return fail(module, .start, nil, .timeout, "it has not answered within its time limit of \(module.timeout) ms")
        case .late(let isDone):
            let sentence = "it took longer than its time limit of \(module.timeout) ms"
            guard isDone else { return fail(module, .start, step, .timeout, sentence) }
            // What it has done is to be undone.
            if let failure = noteStarted(module, step, isLate: true) { return failure }
            return fail(module, .start, nil, .timeout, sentence, remains: true)
        }
    }

    /// The module observes from here on, and its heirs may start.
    private func noteStarted(_ module: Module, _ step: ModuleStep, isLate: Bool = false) -> Failure? {
        let took = peal_clock_now() - step.began
        let (failure, next) = withState { state -> (Failure?, MediatorState.Next) in
            module.status.start.took = took
            module.status.target = step.target
            module.status.use = step.use.take()
            module.status.state = .running
            if isLate { return (nil, .nothing) }
            // One that does not observe has failed, and is stopped as such.
            if let failure = observe(module, state) { return (failure, .nothing) }
            for heir in state.needers[module.name] ?? [] where state.phase == .starting {
                heir.status.missing -= 1
                if heir.status.missing == 0, heir.status.state == .registered { state.makeReady(heir) }
            }
            return (nil, state.settle(module, as: .running))
        }
        tellChange()
        if let failure { return fail(module, .start, nil, failure.kind, failure.sentence, remains: true) }
        if isLate { return nil }
        events.tellStarted(module, took: took)
        if next == .stop { _ = stop(module) }
        return nil
    }

    /// - Parameter remains: It runs all the same. The caller stops it.
    func fail(
        _ module: Module, _ kind: ModuleStep.Kind, _ step: ModuleStep?, _ cause: Failure.Kind, _ sentence: String,
        remains: Bool = false
    ) -> Failure {
        let failure = Failure(cause, "module \(module.name) could not be started: \(sentence)")
        let (use, next) = withState { state -> (ServiceUse?, MediatorState.Next) in
            module.status.lastFailure = failure.sentence
            guard !remains else { return (nil, .nothing) }
            module.status.start.took = peal_clock_now() - module.status.start.began
            state.noteNotStarted(module)
            return (step?.use.take(), state.settle(module, as: .failed))
        }
        tellChange()
        use?.end()
        events.tellFailed(module, kind, failure.sentence)
        if next == .finish { _ = finish(module) }
        return failure
    }
}
