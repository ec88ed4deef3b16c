internal import CPealSupport

/// The child of a fork has one of the parent's threads. What the others were doing for modules is over there.
extension MediatorState {
    /// Forgets the threads that a fork has left in the parent, once after the fork. Called when the lock is acquired.
    mutating func noteFork() {
        if process != peal_fork_generation() { forgetLostThreads() }
    }

    private mutating func forgetLostThreads() {
        let before = process
        process = peal_fork_generation()
        // Work that waited for a thread of the library, whose number is 0, is lost as well.
        func isLost(_ thread: UInt) -> Bool { thread == 0 || LiveThread.isLost(thread, since: before) }
        stepThreads = stepThreads.filter { !isLost($0.key) }
        reporters = reporters.filter { !isLost($0.key) }
        // A step of this thread is reported when it ends.
        watched = [:]
        if isLost(driver) { loseDriver() }
        for module in Array(byName.values) + Array(leaving.values) { forgetLostThreads(of: module, isLost) }
    }

    private mutating func forgetLostThreads(of module: Module, _ isLost: (UInt) -> Bool) {
        module.status.callers.removeAll(where: isLost)
        if isLost(module.status.retirer) { module.status.retirer = 0 }
        if module.status.isInAction || module.status.membership == .releasing {
            guard isLost(module.status.performer) else { return }
            noteLostAction(of: module)
            losePerformer(of: module)
        }
        if module.status.membership == .removed, module.status.retirer == 0 { lostRemovals.append(module) }
    }

    /// The use of a service that a lost start has taken is released with the module.
    private func noteLostAction(of module: Module) {
        if module.status.isInAction {
            let what = module.status.state == .starting ? "start" : "stop"
            module.status.lastFailure =
                "the \(what) of module \(module.name) goes on in the parent of this process alone: another thread called it during the fork"
        }
        for step in Handles.moduleSteps.all where step.module === module && step.kind == .start {
            step.isAbandoned = true
            // The thread that forked may be in the call, which then ends the use itself.
            if case .running = step.progress, !module.status.callers.isEmpty { continue }
            if let use = step.use.take() { module.status.use = use }
        }
    }
}

extension Mediator {
    /// Ends the removals of modules whose threads a fork has left in the parent.
    func endLostRemovals() {
        let lost = withState { state in
            defer { state.lostRemovals = [] }
            return state.lostRemovals
        }
        for module in lost { perform(withState { $0.request(.remove, of: module) }, on: module) }
    }
}
