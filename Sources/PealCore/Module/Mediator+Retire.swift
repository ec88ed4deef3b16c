internal import CPealSupport

extension Mediator {
    /// Removes modules of an owner that ends. Those that need them are stopped first, whoever's they are.
    /// Their owner waits until they are gone.
    func retire(_ modules: [Module], of owner: String, deadline: UInt64) {
        let leaving = Set(modules.map(\.number))
        let (parts, isOwnCall) = withState { state in
            let heirs = state.heirs(of: modules).filter { !leaving.contains($0.number) }
            for module in modules { state.leave(module) }
            let parts = (modules + heirs).sorted { $0.isStoppedBefore($1) }
            let isOwnCall = parts.contains { $0.isCalledHere || ($0.status.isMoving && state.waitsForItself(for: $0)) }
            return (parts, isOwnCall)
        }
        if isOwnCall {
            Errand.run { self.carryOut(parts, leaving, of: owner, deadline: .max) }
        } else {
            carryOut(parts, leaving, of: owner, deadline: deadline)
        }
    }

    private func carryOut(_ parts: [Module], _ leaving: Set<UInt64>, of owner: String, deadline: UInt64) {
        let thread = Self.thisThread
        func note(_ retirer: UInt) {
            withState { _ in for module in parts where leaving.contains(module.number) { module.status.retirer = retirer } }
        }
        note(thread)
        defer { note(0) }
        for module in parts {
            guard leaving.contains(module.number) else {
                stopHeir(module, of: owner, deadline: deadline)
                continue
            }
            let removal = withState { $0.claimRemoval(of: module) }
            _ = carryOut(removal, module, patience: deadline, isOwnCall: false)
        }
    }

    /// Stops a module that is another owner's, unless another thread does. One that starts is waited for.
    private func stopHeir(_ module: Module, of owner: String, deadline: UInt64) {
        _ = wait(for: .move(of: module), until: { _ in min(deadline, module.status.patience) }) { _ in module.status.state != .starting }
        guard withState({ $0.claimStop(module) }) else { return }
        _ = stop(
            module, patience: deadline,
            because: "module \(module.name) is stopped: what it needs belongs to \(owner), which has been retired")
    }
}

extension MediatorState {
    /// Those that run, or are about to, and need one of `modules`, however far.
    fileprivate func heirs(of modules: [Module]) -> [Module] {
        var heirs: [Module] = []
        var known: Set<UInt64> = []
        var names = modules.map(\.name)
        while let name = names.popLast() {
            for needer in needers[name] ?? [] where needer.status.runs && known.insert(needer.number).inserted {
                heirs.append(needer)
                names.append(needer.name)
            }
        }
        return heirs
    }
}

extension ModuleStatus {
    fileprivate var runs: Bool { state == .running || state == .starting }
}

extension Module {
    /// Whether the calling thread is inside one of its calls, or starts or stops all: then it cannot wait for it.
    var isHeldUpHere: Bool {
        mediator.withState { state in isCalledHere || state.waitsForItself(for: self) }
    }
}
