internal import CPealSupport

extension Mediator {
    /// Before a center ends: stops what runs.
    ///
    /// - Returns: False when that is done later, since this is a module's own call.
    func stopForEnd() -> Bool { stopAll(timeout: .max) != .notWaited }

    /// Lets all modules go, once they are stopped.
    func releaseAll(isStopped: Bool) {
        guard isStopped else {
            return Errand.run {
                _ = self.wait(until: { _ in .max }) { $0.phase == .stopped }
                self.releaseAll(isStopped: true)
            }
        }
        let modules = withState { state in
            let modules = state.byName.values.sorted { $0.isStoppedBefore($1) }
            for module in modules { state.leave(module) }
            state.forwarded = []
            return modules
        }
        for module in modules { _ = finish(module) }
    }
}
