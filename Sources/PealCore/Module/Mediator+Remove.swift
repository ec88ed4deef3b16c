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
        let part = try withState { (state) throws(Failure) in
            guard !module.status.isLeaving else { throw .staleModule }
            if let needer = state.firstNeeder(of: module) {
                throw Failure(.state, "module \(needer.name) runs and needs \(module.name); remove that first")
            }
            state.leave(module)
            return state.claimEnd(of: module)
        }
        return carryOut(part, module, patience: .max)
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

    /// Who does what of an end.
    enum Part: Sendable {
        /// It does not run: it can go.
        case forget
        /// It is claimed, and stopped by the caller; or elsewhere, since this is its own call.
        case stop, stopElsewhere
        /// Another thread moves it, and will end it. It is waited for, but by its own call.
        case wait, leave
    }

    /// - Returns: False when its code may still run.
    func carryOut(_ part: Part, _ module: Module, patience: UInt64) -> Bool {
        switch part {
        case .forget:
            return finish(module)
        case .stop:
            let isQuiet = stop(module, patience: patience)
            return finish(module) && isQuiet
        case .stopElsewhere:
            Errand.run {
                _ = self.stop(module)
                _ = self.finish(module)
            }
            return false
        case .wait:
            let own = module.deadline(from: peal_clock_now())
            return wait(until: { _ in min(own, patience) }) { _ in module.status.isGone }
        case .leave:
            return false
        }
    }

    /// The last of a module that has left and does not run: once none of its code runs, it is released.
    ///
    /// - Returns: False when that is later, and elsewhere.
    func finish(_ module: Module) -> Bool {
        let isQuiet = withState { _ in module.status.callers.isEmpty } && waitForEvents(of: module, deadline: 0)
        if isQuiet {
            end(module)
        } else {
            Errand.run {
                _ = self.wait(until: { _ in .max }) { _ in module.status.callers.isEmpty }
                _ = self.waitForEvents(of: module, deadline: .max)
                self.end(module)
            }
        }
        return isQuiet
    }

    private func end(_ module: Module) {
        module.release()
        withState { $0.forget(module) }
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

    func claimEnd(of module: Module) -> Mediator.Part {
        let thread = Mediator.thisThread
        let isOwnCall = module.status.callers.contains(thread) || module.isCalledHere
        switch module.status.state {
        case .registered, .stopped, .failed: return .forget
        case .running:
            module.status.state = .stopping
            return isOwnCall ? .stopElsewhere : .stop
        case .starting, .stopping:
            return isOwnCall || thread == driver ? .leave : .wait
        }
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
