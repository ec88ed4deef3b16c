internal import CPealSupport

extension Mediator {
    /// Forwards a protocol to the modules that have a table for it, now or later.
    public func forward(_ proto: PealProtocol) throws(Failure) {
        try withState { (state) throws(Failure) in
            guard state.forwarded.insert(proto).inserted else { return }
            for module in state.started where module.status.state == .running {
                guard let failure = observe(module, state) else { continue }
                // Those that observe it by now stay; another try goes on from there.
                state.forwarded.remove(proto)
                throw failure
            }
        }
        Reclaimer.collect()
    }

    /// Registers what a module that runs is to hear and does not yet, under the lock: so modules hear in
    /// start order, whoever starts or forwards meanwhile.
    func observe(_ module: Module, _ state: borrowing MediatorState) -> Failure? {
        for table in module.tables where isHeard(table.proto, state) && table.proto.isThere {
            do throws(Failure) {
                try observe(module, table.told, of: table.proto, module.status.target, module.queue)
                if let asked = table.asked {
                    try observe(module, asked, of: table.proto, ModuleQuestion.target(of: module), nil)
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
        registration.duplicates = .allowed
        module.status.observations.append(try registration.registerLeavingLists())
    }

    private func isHeard(_ proto: PealProtocol, _ state: borrowing MediatorState) -> Bool {
        proto == lifecycle.proto || proto.family.contains { $0 == lifecycle.proto || state.forwarded.contains($0) }
    }

    /// No call of a module's observers starts after this.
    ///
    /// - Parameter leavesLists: Else who asks drops them from their lists later: many at once.
    func endObservations(of module: Module, leavesLists: Bool) {
        let observations = withState { _ in
            defer { module.status.observations = [] }
            module.status.ended += module.status.observations
            return module.status.observations
        }
        for observation in observations where observation.close() {
            if leavesLists { observation.unlist() } else { observation.letGoUnlisted() }
        }
    }

    func dropFromLists(_ observations: [Observation]) {
        _ = try? center.withState { (state) throws(Failure) in state.dropRemoved(observations) }
        Reclaimer.collect()
    }
}

extension PealProtocol {
    /// Whether it has not been taken back.
    fileprivate var isThere: Bool { Handles.protocols.find(number) != nil }
}

extension Module {
    /// Reports a running module whose queue has ended: it hears nothing any more, and its stop cannot be called.
    func noteQueueEnded() {
        let sentence = "module \(name) hears nothing any more, and its stop will not be called: its queue has ended"
        let isRunning = mediator.withState { _ in
            guard status.state == .running else { return false }
            status.lastFailure = sentence
            return true
        }
        if isRunning { mediator.events.tellFailed(self, "event", sentence) }
    }
}
