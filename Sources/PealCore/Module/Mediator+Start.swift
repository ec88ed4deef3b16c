internal import CPealSupport

extension Mediator {
    /// Starts all, dependencies first.
    public func start() throws(Failure) {
        let order = try beginStart()
        lifecycle.broadcast(lifecycle.willStart)
        tellWillStart(order)
        while true {
            switch takeNext() {
            case .module(let module):
                if let failure = start(module) {
                    unwind()
                    throw failure
                }
            case .failed(let failure):
                unwind()
                throw failure
            case .finished:
                lifecycle.broadcast(lifecycle.didStart)
                return
            }
        }
    }

    /// Checks the whole and claims the start. Nothing has happened where this fails.
    private func beginStart() throws(Failure) -> [Module] {
        // For time limits, and for what a module asks from its own calls.
        try Executor.start()
        let thread = Self.thisThread
        return try withState { (state) throws(Failure) in
            guard state.stepThreads[thread] == nil else {
                throw Failure(.wouldDeadlock, "this is a step of a module: a start from here would wait for itself")
            }
            guard state.phase == .idle else { throw .notIdle(state.phase) }
            if let late = state.started.first(where: { $0.status.isMember }) { throw .stillStops(late) }
            let modules = state.byName.values.sorted { $0.sequence < $1.sequence }
            let nodes = modules.map { ModuleOrder.Node(name: $0.name, rank: $0.rank, dependencies: $0.dependencies) }
            let order = try ModuleOrder(nodes).sort().map { modules[$0] }
            state.phase = .starting
            state.driver = thread
            state.starts = 0
            for module in modules {
                module.status.state = .registered
                module.status.hasHeardWillStart = false
                module.status.missing = module.dependencies.count
                if module.dependencies.isEmpty { state.makeReady(module) }
            }
            return order
        }
    }

    /// Those whose `self` is there, and that need no other thread: the others hear it just before their start.
    private func tellWillStart(_ order: [Module]) {
        for module in order where module.service == nil && module.queue == nil {
            let isThere = withState { state in
                guard !state.isStopRequested, module.status.isMember else { return false }
                module.status.hasHeardWillStart = true
                return true
            }
            guard isThere, !module.functions(for: lifecycle.willStart).isEmpty else { continue }
            if let step = ModuleStep.make(.willStart, of: module) { _ = run(step) }
        }
    }

    private enum Next: Sendable {
        case module(Module)
        case failed(Failure)
        case finished
    }

    private func takeNext() -> Next {
        let next = withState { state -> Next in
            if state.isStopRequested { return .failed(.stoppedMeanwhile) }
            while let module = state.takeReady() {
                // One whose dependency was taken out meanwhile stays, and is what the start fails of.
                guard module.status.isMember, module.dependencies.allSatisfy(state.runs) else { continue }
                state.noteStarting(module)
                return .module(module)
            }
            if let failure = state.whatWaits() { return .failed(failure) }
            state.phase = .running
            state.driver = 0
            state.readyModules = []
            return .finished
        }
        if case .finished = next { tellChange() }
        return next
    }
}

extension MediatorState {
    mutating func makeReady(_ module: Module) {
        ready.insert(readyModules.count, module.rank)
        readyModules.append(module)
    }

    fileprivate mutating func takeReady() -> Module? {
        ready.takeFirst().map { readyModules[$0] }
    }

    /// Why the last ones cannot start: of those that were registered during the start.
    fileprivate func whatWaits() -> Failure? {
        let waiting = byName.values.filter { $0.status.state == .registered }.sorted { $0.sequence < $1.sequence }
        for module in waiting {
            for dependency in module.dependencies where byName[dependency] == nil {
                return .missing(dependency, neededBy: module.name, among: Array(byName.keys))
            }
        }
        let nodes = waiting.map { module in
            ModuleOrder.Node(
                name: module.name, rank: module.rank,
                dependencies: module.dependencies.filter { byName[$0]?.status.state == .registered })
        }
        do throws(Failure) {
            _ = try ModuleOrder(nodes).sort()
        } catch {
            return error
        }
        return waiting.first.map { Failure(.state, "module \($0.name) waits for one that does not run") }
    }
}

extension Module {
    var rank: ReadyModules.Rank { ReadyModules.Rank(priority: priority, sequence: sequence) }
}

extension Failure {
    static let stoppedMeanwhile = Failure(.state, "the modules were stopped while they started; they cannot be started again")

    fileprivate static func stillStops(_ module: Module) -> Failure {
        Failure(.state, "module \(module.name) is still being stopped after the last start; start again when that is over")
    }

    static func notIdle(_ phase: ModulesPhase) -> Failure {
        switch phase {
        case .starting: Failure(.state, "the modules start already, by another thread or around this call")
        case .draining, .stopped: Failure(.state, "the modules have been stopped, which is for good; make another center to start anew")
        case .idle, .running: Failure(.state, "the modules run already")
        }
    }
}
