internal import CPealSupport

/// Modules as observers.
extension Mediator {
    /// Forwards a protocol to the modules that have a table for it, also to those that are registered later.
    public func forward(_ proto: PealProtocol) throws(Failure) {
        try withState { (state) throws(Failure) in
            guard state.forwarded.insert(proto).inserted else { return }
            for module in state.started where module.status.state == .running {
                guard let failure = observe(module, state) else { continue }
                // Modules that observe the protocol already keep their observers. Another call registers the others.
                state.forwarded.remove(proto)
                throw failure
            }
        }
        Reclaimer.collect()
    }

    /// Registers the observers of a running module that are not registered yet. This happens under the lock, so that
    /// modules observe in start order while other threads start or forward.
    func observe(_ module: Module, _ state: borrowing MediatorState) -> Failure? {
        for table in module.tables where isForwarded(table.proto, state) && table.proto.hasLiveHandle {
            do throws(Failure) {
                try observe(module, table.notified, of: table.proto, module.status.target, module.queue)
                if let queried = table.queried {
                    try observe(module, queried, of: table.proto, ModuleQuery.target(of: module), nil)
                }
            } catch {
                return error
            }
        }
        return nil
    }

    private func observe(
        _ module: Module, _ functions: FunctionTables, of proto: PealProtocol, _ target: UnsafeMutableRawPointer?,
        _ queue: Queue?
    ) throws(Failure) {
        guard !module.status.observations.contains(where: { $0.proto == proto && $0.queue === queue }) else { return }
        var registration = Registration(proto: proto, target: target, functions: .bindings([]))
        registration.tables = functions
        registration.queue = queue
        registration.options = .allowsDuplicates
        module.status.observations.append(try registration.registerLeavingLists())
    }

    private func isForwarded(_ proto: PealProtocol, _ state: borrowing MediatorState) -> Bool {
        proto == lifecycle.proto || proto.family.contains { $0 == lifecycle.proto || state.forwarded.contains($0) }
    }

    /// Ends the observations of a module. No call of its observers begins after this.
    func endObservations(of module: Module) {
        let observations = withState { _ in
            defer { module.status.observations = [] }
            module.status.ended += module.status.observations
            return module.status.observations
        }
        for observation in observations where observation.close() { observation.unlist() }
    }
}

extension PealProtocol {
    /// Returns true until the protocol has ended.
    fileprivate var hasLiveHandle: Bool { Handles.protocols.find(id) != nil }
}

extension Module {
    /// Reports a running module whose queue has ended. It gets no events any more, and its stop cannot be called.
    func noteQueueEnded() {
        let sentence =
            "module \(name) gets no more events, and its stop will not be called, because its queue has ended"
        let isRunning = mediator.withState { _ in
            guard status.state == .running else { return false }
            status.lastFailure = sentence
            return true
        }
        if isRunning { mediator.events.notifyFailed(self, "event", sentence) }
    }
}
