internal import CPealSupport
import PealCall

/// The removal of modules: by handle, by class, with their owner, and with their center.
extension Mediator {
    /// Removes a module. A module that runs is stopped first.
    ///
    /// - Returns: False if its code may still run.
    public static func remove(_ id: UInt64) throws(Failure) -> Bool {
        guard let module = Handles.modules.find(id) else { throw .staleModule }
        return try module.mediator.remove(module)
    }

    private func remove(_ module: Module) throws(Failure) -> Bool {
        let (action, isOwnCall) = try withState { (state) throws(Failure) in
            guard module.status.membership == .member else { throw .staleModule }
            if let dependent = state.firstRunningDependent(of: module) {
                throw Failure(
                    .state,
                    "module \(dependent.name) is running and needs \(module.name); remove \(dependent.name) first")
            }
            return (state.request(.remove, of: module), module.isCalledHere)
        }
        return performAndWait(action, on: module, deadline: .max, isOwnCall: isOwnCall)
    }

    /// Removes all modules of a class in reverse start order.
    ///
    /// - Returns: The number of removed modules, whether all were waited for, and the first failure.
    public func removeClass(_ name: String) throws(Failure) -> (count: Int, isWaited: Bool, failure: Failure?) {
        let modules = withState { state in
            state.byName.values.filter { $0.className == name }.ordered { $0.stopOrder }
        }
        guard !modules.isEmpty else {
            let names = withState { state in state.byName.values.compactMap { $0.className } }
            let near = NearestName.find(name, among: names.count, in: names)
            let guess = near.map { "; did you mean \($0)?" } ?? ""
            throw Failure(.notFound, "there is no module of class \(name)\(guess)")
        }
        var outcome = (count: 0, isWaited: true, failure: Failure?.none)
        for module in modules {
            do throws(Failure) {
                if try !remove(module) { outcome.isWaited = false }
                outcome.count += 1
            } catch {
                outcome.failure = outcome.failure ?? error
            }
        }
        return outcome
    }

    /// Removes the modules of an owner. The modules that depend on them are stopped first, also those of other
    /// owners. The owner waits until its modules are released.
    func retire(_ modules: [Module], of owner: String, deadline: UInt64) {
        let retired = Set(modules.map { $0.id })
        let (order, isOwnCall) = withState { state in
            let dependents = state.runningDependents(of: modules).filter { !retired.contains($0.id) }
            for module in modules { state.request(.retire, of: module) }
            let order = (modules + dependents).ordered { $0.stopOrder }
            let isOwnCall = order.contains { $0.isCalledHere || ($0.status.isInAction && state.waitsForThisThread($0)) }
            return (order, isOwnCall)
        }
        @Sendable func removeInOrder(deadline: UInt64) {
            let thread = Self.thisThread
            withState { _ in for module in modules { module.status.retirer = thread } }
            defer { withState { _ in for module in modules { module.status.retirer = 0 } } }
            for module in order {
                guard retired.contains(module.id) else {
                    stopDependent(module, of: owner, deadline: deadline)
                    continue
                }
                let action = withState { $0.request(.remove, of: module) }
                _ = performAndWait(action, on: module, deadline: deadline, isOwnCall: false)
            }
        }
        if isOwnCall { DetachedWork.run { removeInOrder(deadline: .max) } } else { removeInOrder(deadline: deadline) }
    }

    /// Stops a module of another owner, unless another thread does. A start in progress is waited for.
    private func stopDependent(_ module: Module, of owner: String, deadline: UInt64) {
        _ = wait(for: .action(on: module), until: { _ in min(deadline, module.status.deadline) }) { _ in
            module.status.state != .starting
        }
        guard withState({ $0.request(.stop, of: module) }) == .stop else { return }
        _ = stop(
            module, deadline: deadline,
            because:
                "module \(module.name) is stopped because a module that it needs belongs to \(owner), which was retired"
        )
    }

    /// Stops all modules before their center ends.
    ///
    /// - Returns: False if the calling thread is in a call of a module, so that they are stopped later.
    func stopForEnd() -> Bool { stopAll(timeout: .max) != .notWaited }

    /// Removes all modules when they are stopped, and waits until they are released. A module whose stop has exceeded
    /// its deadline is not waited for: the thread that stops it releases it.
    func releaseAll(isStopped: Bool) {
        guard isStopped else {
            return DetachedWork.run {
                _ = self.wait(until: { _ in .max }) { $0.phase == .stopped }
                self.releaseAll(isStopped: true)
            }
        }
        let actions = withState { state in
            state.forwarded = []
            return state.byName.values.ordered { $0.stopOrder }.map { module in
                let action = state.request(.remove, of: module)
                return (module, action, deadline: action == .stop ? .max : module.status.deadline, module.isCalledHere)
            }
        }
        for (module, action, deadline, isOwnCall) in actions {
            _ = performAndWait(action, on: module, deadline: deadline, isOwnCall: isOwnCall)
        }
    }
}

extension MediatorState {
    /// A dependent of the module that starts, runs or stops, or that a start of all modules may still start.
    fileprivate func firstRunningDependent(of module: Module) -> Module? {
        dependents[module.name]?.first { dependent in
            switch dependent.status.state {
            case .starting, .running, .stopping: true
            case .registered: phase == .starting || phase == .cancelled
            case .stopped, .failed: false
            }
        }
    }

    /// The modules that start or run and depend on one of these, directly or not.
    fileprivate func runningDependents(of modules: [Module]) -> [Module] {
        var found: [Module] = []
        var known: Set<UInt64> = []
        var names = modules.map { $0.name }
        while let name = names.popLast() {
            for dependent in dependents[name] ?? [] where [.starting, .running].contains(dependent.status.state) {
                guard known.insert(dependent.id).inserted else { continue }
                found.append(dependent)
                names.append(dependent.name)
            }
        }
        return found
    }
}

extension Module {
    /// Sorts in reverse start order. Modules that did not start are first, in reverse order of registration.
    fileprivate var stopOrder: SortKey { .descending(status.order &- 1, sequence) }
}

extension Failure {
    public static let staleModule = Failure(
        .handle,
        "the module's handle is invalid: zero, never created, or of a module that was removed or whose center has ended"
    )
}
