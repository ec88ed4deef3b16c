internal import CPealSupport
import PealCall

extension Mediator {
    /// Removes a module, and stops it if it runs.
    ///
    /// - Returns: False when its code may still run.
    public static func remove(_ number: UInt64) throws(Failure) -> Bool {
        guard let module = Handles.modules.find(number) else { throw .staleModule }
        return try module.mediator.remove(module)
    }

    private func remove(_ module: Module) throws(Failure) -> Bool {
        let (removal, isOwnCall) = try withState { (state) throws(Failure) in
            guard module.status.isMember else { throw .staleModule }
            if let needer = state.firstNeeder(of: module) {
                throw Failure(.state, "module \(needer.name) runs and needs \(module.name); remove that first")
            }
            return (state.claimRemoval(of: module), module.isCalledHere)
        }
        return carryOut(removal, module, patience: .max, isOwnCall: isOwnCall)
    }

    /// Removes all modules of a class, the last that started first.
    ///
    /// - Returns: How many were removed, whether all were waited for, and the first failure.
    public func removeClass(_ name: String) throws(Failure) -> (count: Int, isWaited: Bool, failure: Failure?) {
        let modules = withState { state in
            state.byName.values.filter { $0.className == name }.sorted { $0.isStoppedBefore($1) }
        }
        guard !modules.isEmpty else {
            let names = withState { state in Set(state.byName.values.compactMap(\.className)) }
            let guess = NearestName.find(name, in: names).map { "; did you mean \($0)?" } ?? ""
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

    /// Does what the caller has claimed of a removal, and waits for the rest. What would wait for the calling
    /// thread's own call is done elsewhere.
    ///
    /// - Returns: False when its code may still run.
    func carryOut(_ removal: MediatorState.Removal, _ module: Module, patience: UInt64, isOwnCall: Bool) -> Bool {
        let deadline = min(module.deadline(from: peal_clock_now()), patience)
        switch removal {
        case .finish: return finish(module, deadline: deadline, isOwnCall: isOwnCall)
        case .stop where isOwnCall:
            handOver(module) { _ = self.stop(module) }
            return false
        case .stop: return stop(module, patience: patience)
        case .wait:
            if isOwnCall || withState({ $0.waitsForItself(for: module) }) { return false }
            return wait(for: .move(of: module), until: { _ in deadline }) { _ in module.status.membership == .gone }
        }
    }

    /// Releases a module whose end the caller has claimed, once none of its code runs.
    ///
    /// - Returns: False when that is later, and elsewhere.
    func finish(_ module: Module, deadline: UInt64 = 0, isOwnCall: Bool = false) -> Bool {
        if !isOwnCall, waitForCalls(of: module, deadline: deadline) {
            end(module)
            return true
        }
        handOver(module) {
            _ = self.waitForCalls(of: module, deadline: .max)
            self.end(module)
        }
        return false
    }

    /// Has a thread of peal's do what is left of what the caller has claimed.
    func handOver(_ module: Module, _ work: @escaping @Sendable () -> Void) {
        withState { _ in module.status.mover = 0 }
        Errand.run {
            let thread = Self.thisThread
            self.withState { _ in module.status.mover = thread }
            work()
        }
    }

    private func end(_ module: Module) {
        module.release()
        withState { $0.forget(module) }
        module.queue?.forget(module)
        module.owner?.forget(module)
        tellChange()
    }
}

extension MediatorState {
    /// One that could not go on without it.
    fileprivate func firstNeeder(of module: Module) -> Module? {
        needers[module.name]?.first { needer in
            switch needer.status.state {
            case .starting, .running, .stopping: true
            case .registered: phase == .starting && !isUnwinding
            case .stopped, .failed: false
            }
        }
    }

    /// Whether the thread that moves the module can be waiting for the calling one: it is the same, or the
    /// module's steps need the queue whose call this is.
    func waitsForItself(for module: Module) -> Bool {
        driver == Mediator.thisThread || module.status.mover == Mediator.thisThread
            || (module.queue != nil && module.runsHere)
    }
}

extension Module {
    /// In reverse start order; those that did not start before all, the last registered first.
    func isStoppedBefore(_ other: Module) -> Bool {
        let own = status.order == 0 ? UInt64.max : status.order
        let others = other.status.order == 0 ? UInt64.max : other.status.order
        return own != others ? own > others : sequence > other.sequence
    }
}

extension Failure {
    public static let staleModule = Failure(
        .handle, "the module's handle is zero, made up, or the module was removed; its center may have been ended")
}
