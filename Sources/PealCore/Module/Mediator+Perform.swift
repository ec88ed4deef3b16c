internal import CPealSupport

/// Performs the actions that requests lead to.
extension Mediator {
    /// Performs an action. Does not wait for another thread's action.
    func perform(_ action: ModuleAction, on module: Module) {
        switch action {
        case .stop: _ = stop(module)
        case .release: _ = release(module)
        case .none, .start, .enqueue, .wait, .refuse: break
        }
    }

    /// Performs an action, or waits until another thread has released the module. An action that would wait for the
    /// calling thread's own call is performed by another thread of the library.
    ///
    /// - Returns: False if the module's code may still run.
    func performAndWait(_ action: ModuleAction, on module: Module, deadline: UInt64, isOwnCall: Bool) -> Bool {
        let limit = min(module.deadline(from: peal_clock_now()), deadline)
        switch action {
        case .stop where isOwnCall:
            performElsewhere(on: module) { _ = self.stop(module) }
            return false
        case .stop: return stop(module, deadline: deadline)
        case .release: return release(module, deadline: limit, isOwnCall: isOwnCall)
        case .none, .start, .enqueue, .wait, .refuse:
            if isOwnCall || withState({ $0.waitsForThisThread(module) }) { return false }
            return wait(for: .action(on: module), until: { _ in limit }) { _ in module.status.membership == .released }
        }
    }

    /// Performs the release of a module once none of its code runs.
    ///
    /// - Returns: False if another thread performs it later.
    func release(_ module: Module, deadline: UInt64 = 0, isOwnCall: Bool = false) -> Bool {
        @Sendable func complete() {
            module.release()
            let use = withState { state in
                _ = state.request(.released, of: module)
                return module.status.use.take()
            }
            // That of a start or a stop that a fork has left in the parent.
            use?.end()
            module.queue?.removeMember(module)
            module.owner?.remove(module)
            signalChange()
        }
        if !isOwnCall, waitForCalls(of: module, deadline: deadline) {
            complete()
            return true
        }
        performElsewhere(on: module) {
            _ = self.waitForCalls(of: module, deadline: .max)
            complete()
        }
        return false
    }

    /// Performs the rest of an action on another thread of the library.
    func performElsewhere(on module: Module, _ work: @escaping @Sendable () -> Void) {
        withState { _ in module.status.performer = 0 }
        DetachedWork.run {
            let thread = Self.thisThread
            self.withState { _ in module.status.performer = thread }
            work()
        }
    }
}

extension MediatorState {
    /// Returns true if the thread that performs the module's action may wait for the calling thread: it is the calling
    /// thread, or the module's steps need the queue that the calling thread runs.
    func waitsForThisThread(_ module: Module) -> Bool {
        driver == Mediator.thisThread || module.status.performer == Mediator.thisThread
            || (module.queue != nil && module.runsHere)
    }
}

extension Module {
    /// Returns true if the calling thread is inside a call of the module or performs the module's action. Such a thread
    /// cannot wait for the module.
    var isBlockedHere: Bool {
        mediator.withState { state in isCalledHere || state.waitsForThisThread(self) }
    }
}
