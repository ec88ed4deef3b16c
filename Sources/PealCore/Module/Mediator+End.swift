internal import CPealSupport

extension Mediator {
    /// Before a center ends: stops what runs.
    ///
    /// - Returns: False when that is done later, since this is a module's own call.
    func stopForEnd() -> Bool { stopAll(timeout: .max) != .notWaited }

    /// Removes all modules, once they are stopped.
    func releaseAll(isStopped: Bool) {
        guard isStopped else {
            return Errand.run {
                _ = self.wait(until: { _ in .max }) { $0.phase == .stopped }
                self.releaseAll(isStopped: true)
            }
        }
        let removals = withState { state in
            state.forwarded = []
            return state.byName.values.sorted { $0.isStoppedBefore($1) }.map { ($0, state.claimRemoval(of: $0)) }
        }
        // A module that another thread still moves is released by that.
        for (module, removal) in removals { settle(module, removal) }
    }
}
