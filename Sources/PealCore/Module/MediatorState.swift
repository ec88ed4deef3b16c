/// What a center's modules do together. The raw values are those of the interface.
public enum ModulesPhase: UInt32, Sendable { case idle, starting, running, draining, stopped }

/// What changes of a mediator. Guarded by its lock.
struct MediatorState {
    var phase = ModulesPhase.idle
    /// All, until they are gone, in order of registration.
    var modules: [UInt64: Module] = [:]
    /// Without those that were removed and are not gone yet.
    var byName: [String: Module] = [:]
    /// Who needs a name, registered or not.
    var needers: [String: [Module]] = [:]
    /// Those that start, run or stop, in start order.
    var started: [Module] = []
    var forwarded: Set<PealProtocol> = []
    var registrations: UInt64 = 0
    var starts: UInt64 = 0

    /// The thread that starts or stops all; 0: none.
    var driver: UInt = 0
    /// Who starts is to stop, for good.
    var isStopRequested = false
    /// What had started is being stopped, by who started it.
    var isUnwinding = false
    /// Until when who stops all waits for each.
    var patience = UInt64.max
    /// One was not waited for, since that had passed.
    var isCutShort = false
    /// During a start: those that could start next, by number.
    var ready = ReadyModules()
    var readyModules: [Module] = []

    /// The threads that run steps, with how many.
    var stepThreads: [UInt: Int] = [:]
    /// Steps whose time limit is watched.
    var watched: [UInt64: ModuleStep] = [:]

    mutating func add(_ module: Module) {
        modules[module.number] = module
        byName[module.name] = module
        for dependency in module.dependencies { needers[dependency, default: []].append(module) }
    }

    mutating func noteStarting(_ module: Module) {
        starts += 1
        module.status.state = .starting
        module.status.mover = Mediator.thisThread
        module.status.order = starts
        module.status.isOverdue = false
        module.status.lastFailure = ""
        started.append(module)
    }

    mutating func noteNotStarted(_ module: Module) {
        if let index = started.lastIndex(where: { $0 === module }) { started.remove(at: index) }
    }

    /// A name that is there, or nil.
    func runs(_ name: String) -> Bool {
        byName[name]?.status.state == .running
    }
}
