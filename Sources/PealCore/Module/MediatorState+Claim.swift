internal import CPealSupport

/// The claims of a module: each moves it to a state that exactly one thread brings to its end. Under the lock
/// of the mediator.
extension MediatorState {
    /// What the thread that ended a start or a stop does next.
    enum Next: Sendable { case nothing, stop, finish }

    /// What the thread that removes a module does.
    enum Removal: Sendable {
        /// The caller has claimed the end of a module that does not run.
        case finish
        /// The caller has claimed the stop, and with that the end.
        case stop
        /// Another thread has claimed the end, or moves the module and will end it.
        case wait
    }

    /// Ends a start or a stop of a module. The mover of a removed one ends it.
    mutating func settle(_ module: Module, as state: ModuleState) -> Next {
        module.status.state = state
        guard module.status.membership == .removed else { return .nothing }
        if claimStop(module) { return .stop }
        module.status.membership = .ending
        return .finish
    }

    /// Whether the caller is the one to stop it.
    func claimStop(_ module: Module) -> Bool {
        guard module.status.state == .running else { return false }
        module.status.state = .stopping
        module.status.mover = Mediator.thisThread
        return true
    }

    /// Removes a module, unless that was done before, and claims its end where no other thread has.
    mutating func claimRemoval(of module: Module) -> Removal {
        leave(module)
        guard module.status.membership == .removed, !module.status.isMoving else { return .wait }
        if claimStop(module) { return .stop }
        module.status.membership = .ending
        module.status.mover = Mediator.thisThread
        return .finish
    }

    /// The name is free, and the handle stale.
    mutating func leave(_ module: Module) {
        guard module.status.isMember else { return }
        module.status.membership = .removed
        Handles.modules.retire(module.number)
        if byName[module.name] === module { byName[module.name] = nil }
        for dependency in module.dependencies {
            // Those that came last go first, where many leave in a row.
            if let index = needers[dependency]?.lastIndex(where: { $0 === module }) { needers[dependency]?.remove(at: index) }
            if needers[dependency]?.isEmpty == true { needers[dependency] = nil }
        }
    }

    mutating func forget(_ module: Module) {
        modules[module.number] = nil
        Handles.modules.recycle(module.number)
        module.status.membership = .gone
    }
}
