internal import CPealSupport

/// The state of a mediator and of its modules. The mediator's lock guards it.
struct MediatorState {
    private(set) var phase = ModulesPhase.idle
    /// The members, by their names.
    private(set) var byName: [String: Module] = [:]
    /// The members that depend on a name, whether it is registered or not.
    private(set) var dependents: [String: [Module]] = [:]
    /// The modules that start, run or stop, in start order.
    private(set) var started: [Module] = []
    /// The protocols that are forwarded to modules.
    var forwarded: Set<PealProtocol> = []
    var registrations: UInt64 = 0
    private var starts: UInt64 = 0

    /// The thread that starts or stops all modules, or 0.
    var driver: UInt = 0
    /// The deadline of a stop of all modules.
    var stopDeadline = UInt64.max
    /// True if a stop of all modules has passed its deadline, so a module's stop was not waited for.
    var hasMissedStopDeadline = false
    /// The modules that may start next, during a start of all.
    private var ready = ReadyModules()
    private var readyModules: [Module] = []

    /// The threads that run steps, each with the number of its running steps.
    var stepThreads: [UInt: Int] = [:]
    /// The steps whose time limit is watched.
    var watched: [UInt64: ModuleStep] = [:]
    /// The threads that notify observers of overdue steps, each with the number of its notifications.
    var reporters: [UInt: Int] = [:]

    /// The modules that were removed and are still to be released.
    private(set) var leaving: [UInt64: Module] = [:]

    /// The number of the process that last acquired the lock: see `noteFork`.
    var process = peal_fork_generation()
    /// True if a fork has left the thread in the parent that stopped all modules. The next request stops them.
    private var hasLostDriver = false
    /// Removed modules that a fork's parent releases alone. The child releases its copies with its next stop.
    var lostRemovals: [Module] = []

    /// Returns true if no code of a module runs, and no stop function is still to be called.
    var isQuiet: Bool { leaving.isEmpty && started.isEmpty && byName.values.allSatisfy { $0.status.callers.isEmpty } }

    /// Notes that a wait of a stop of all modules has ended, if its limit has expired.
    mutating func noteStopDeadline() {
        if peal_clock_now() >= stopDeadline { hasMissedStopDeadline = true }
    }
}

/// Requests. Nothing else changes a phase, a module's state or its membership.
extension MediatorState {
    /// Requests something of all modules.
    mutating func request(_ request: PhaseRequest) -> ModuleAction {
        let transition = request.transition(from: phase)
        phase = transition.phase
        guard transition.action == .wait, hasLostDriver else { return transition.action }
        hasLostDriver = false
        return .stop
    }

    /// Requests something of one module. The calling thread performs the action.
    @discardableResult
    mutating func request(_ request: ModuleRequest, of module: Module) -> ModuleAction {
        let (state, membership) = (module.status.state, module.status.membership)
        let transition = request.transition(from: state, membership)
        module.status.state = transition.state
        module.status.membership = transition.membership
        if transition.state != state { noteState(of: module) }
        if transition.membership != membership { noteMembership(of: module, after: membership) }
        switch transition.action {
        case .start, .stop, .release: module.status.performer = Mediator.thisThread
        case .none, .enqueue, .wait, .refuse: break
        }
        return transition.action
    }

    private mutating func noteState(of module: Module) {
        switch module.status.state {
        case .registered: module.status.order = 0
        case .starting:
            starts += 1
            module.status.order = starts
            module.status.isOverdue = false
            module.status.lastFailure = ""
            started.append(module)
        case .failed, .stopped:
            if let index = started.lastIndex(where: { $0 === module }) { started.remove(at: index) }
        case .running, .stopping: break
        }
    }

    private mutating func noteMembership(of module: Module, after membership: ModuleMembership) {
        if membership == .member {
            removeName(of: module)
            leaving[module.id] = module
        }
        if module.status.membership == .released {
            Handles.modules.recycle(module.id)
            leaving[module.id] = nil
        }
    }

    /// Makes the handle stale and the name free.
    private mutating func removeName(of module: Module) {
        Handles.modules.retire(module.id)
        if byName[module.name] === module { byName[module.name] = nil }
        for dependency in module.dependencies {
            // Modules are removed in reverse order as a rule.
            if let index = dependents[dependency]?.lastIndex(where: { $0 === module }) {
                dependents[dependency]?.remove(at: index)
            }
            if dependents[dependency]?.isEmpty == true { dependents[dependency] = nil }
        }
    }

    /// Ends a start or stop of all modules whose thread a fork has left in the parent.
    mutating func loseDriver() {
        driver = 0
        clearReady()
        (phase, hasLostDriver) = phase.withoutDriver
        (stopDeadline, hasMissedStopDeadline) = (.max, false)
    }

    /// Ends the start, stop or release of a module whose thread a fork has left in the parent.
    mutating func losePerformer(of module: Module) {
        let state = module.status.state
        module.status.performer = 0
        (module.status.state, module.status.membership) = state.withoutPerformer(module.status.membership)
        if module.status.state != state { noteState(of: module) }
    }

    mutating func add(_ module: Module) {
        byName[module.name] = module
        for dependency in module.dependencies { dependents[dependency, default: []].append(module) }
    }

    /// Returns true if a member of this name runs.
    func isRunning(_ name: String) -> Bool { byName[name]?.status.state == .running }
}

/// The heap of modules that may start next, during a start of all.
extension MediatorState {
    /// Begins a start of all modules.
    mutating func prepareStart(of modules: [Module]) {
        starts = 0
        for module in modules {
            request(.reset, of: module)
            module.status.wasNotifiedOfWillStart = false
            module.status.waitsFor = module.dependencies.count
            enqueueIfReady(module)
        }
    }

    /// Includes a module that is registered during a start of all.
    mutating func enqueue(_ module: Module) {
        module.status.waitsFor = module.dependencies.count { !isRunning($0) }
        enqueueIfReady(module)
    }

    /// Enqueues the modules for which a module was the last dependency to start.
    mutating func enqueueDependents(of module: Module) {
        guard phase == .starting else { return }
        for dependent in dependents[module.name] ?? [] {
            dependent.status.waitsFor -= 1
            enqueueIfReady(dependent)
        }
    }

    private mutating func enqueueIfReady(_ module: Module) {
        guard module.status.waitsFor == 0, module.status.state == .registered else { return }
        ready.insert(readyModules.count, module.rank)
        readyModules.append(module)
    }

    mutating func dequeueReady() -> Module? {
        ready.takeFirst().map { readyModules[$0] }
    }

    mutating func clearReady() {
        ready = ReadyModules()
        readyModules = []
    }
}
