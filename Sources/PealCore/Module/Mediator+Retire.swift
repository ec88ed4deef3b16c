internal import CPealSupport

extension Mediator {
    /// Removes modules of an owner that ends. Those that need them are stopped first, whoever's they are.
    ///
    /// - Returns: False when their code may still run.
    func retire(_ modules: [Module], of owner: String, deadline: UInt64) -> Bool {
        let leaving = Set(modules.map(\.number))
        let parts = withState { state in
            let heirs = state.heirs(of: modules).filter { !leaving.contains($0.number) }
            for module in modules where !module.status.isLeaving { state.leave(module) }
            return (modules + heirs).sorted { $0.isStoppedBefore($1) }
        }
        if parts.contains(where: { module in withState { _ in module.isOwnCallHere } }) {
            Errand.run { _ = self.carryOut(parts, leaving, of: owner, deadline: .max) }
            return false
        }
        return carryOut(parts, leaving, of: owner, deadline: deadline)
    }

    private func carryOut(_ parts: [Module], _ leaving: Set<UInt64>, of owner: String, deadline: UInt64) -> Bool {
        var isQuiet = true
        for module in parts {
            let isOwners = leaving.contains(module.number)
            let part = withState { state in
                if module.status.isGone { return Part?.none }
                // One that was removed before is its remover's.
                return isOwners || module.status.state == .running ? state.claimEnd(of: module) : .none
            }
            guard let part else { continue }
            if isOwners {
                isQuiet = carryOut(part, module, patience: deadline) && isQuiet
            } else if part == .stop {
                _ = stop(
                    module, patience: deadline,
                    because: "module \(module.name) is stopped: what it needs belongs to \(owner), which has been retired")
            }
        }
        return isQuiet
    }
}

extension MediatorState {
    /// Those that run, or are about to, and need one of `modules`, however far.
    fileprivate func heirs(of modules: [Module]) -> [Module] {
        var heirs: [Module] = []
        var known: Set<UInt64> = []
        var names = modules.map(\.name)
        while let name = names.popLast() {
            for needer in needers[name] ?? [] where needer.status.state == .running && known.insert(needer.number).inserted {
                heirs.append(needer)
                names.append(needer.name)
            }
        }
        return heirs
    }
}

extension Module {
    /// Under the lock: whether the calling thread is inside one of its calls.
    fileprivate var isOwnCallHere: Bool { status.callers.contains(Mediator.thisThread) || isCalledHere }
}
