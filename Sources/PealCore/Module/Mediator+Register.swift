internal import CPealSupport
import PealCall

extension Mediator {
    /// Registers a module, and starts it where the modules run already.
    ///
    /// The release function runs also when this fails.
    public static func register(_ description: ModuleDescription, in center: Center) throws(Failure) -> Module {
        let module: Module
        let startsNow: Bool
        do throws(Failure) {
            (module, startsNow) = try center.modules().add(description)
        } catch {
            description.release?(description.context)
            throw error
        }
        if startsNow { try module.mediator.startLate(module) }
        return module
    }

    private func add(_ description: ModuleDescription) throws(Failure) -> (Module, Bool) {
        let dependencies = try description.checkedDependencies()
        let tables = try read(description)
        if let service = description.service { _ = try Service.find(service, in: center) }
        return try center.keepForGood { () throws(Failure) in
            try insert(description, dependencies: dependencies, tables: tables)
        }
    }

    private func insert(
        _ description: ModuleDescription, dependencies: [String], tables: [Module.Table]
    ) throws(Failure) -> (Module, Bool) {
        try withState { (state) throws(Failure) in
            try state.check(description.name, dependencies)
            state.registrations += 1
            let made = Handles.modules.insert { number in
                Module(
                    number: number, description, dependencies: dependencies, tables: tables,
                    sequence: state.registrations, mediator: self)
            }
            guard let module = made else { throw Failure(.limit, "there are too many modules in the process; remove those that are not needed") }
            do throws(Failure) {
                try module.owner?.remember(module)
            } catch {
                Handles.modules.remove(module.number)
                throw error
            }
            state.add(module)
            return (module, state.admit(module))
        }
    }

    private func read(_ description: ModuleDescription) throws(Failure) -> [Module.Table] {
        var tables: [Module.Table] = []
        for (name, table) in description.tables {
            let proto = try center.findProtocol(name)
            guard !tables.contains(where: { $0.proto == proto }) else {
                throw Failure(.argument, "module \(description.name) has two tables for \(name); give one")
            }
            var registration = Registration(proto: proto, target: nil, functions: .table(table))
            registration.queue = description.queue
            let functions = try center.withState { (state) throws(Failure) in try state.readFunctions(of: registration) }
            tables.append(Module.Table(proto: proto, functions: functions))
        }
        return tables
    }

    /// One that comes while the others run. It is claimed.
    private func startLate(_ module: Module) throws(Failure) {
        var failure = start(module)
        let isRunning = withState { _ in module.status.state == .running }
        if failure == nil, isRunning, !module.functions(for: lifecycle.didStart).isEmpty {
            if let step = ModuleStep.make(.didStart, of: module) { _ = run(step) }
        }
        let (stops, leaves) = withState { state -> (Bool, Bool) in
            if failure == nil, !module.status.isLeaving, state.phase != .running { failure = .stoppedMeanwhile }
            guard failure != nil else { return (false, false) }
            let stops = state.claimStop(module)
            let leaves = stops || module.status.state == .failed
            if leaves, !module.status.isLeaving { state.leave(module) }
            return (stops, leaves)
        }
        if stops { _ = stop(module) }
        if leaves { _ = finish(module) }
        if let failure { throw failure }
    }
}

extension MediatorState {
    fileprivate func check(_ name: String, _ dependencies: [String]) throws(Failure) {
        guard phase != .draining, phase != .stopped else { throw .notIdle(phase) }
        guard byName[name] == nil else {
            throw Failure(.conflict, "there is a module \(name) already; remove it first, or choose another name")
        }
        guard phase == .running else { return }
        for dependency in dependencies {
            guard let needed = byName[dependency] else { throw .missing(dependency, neededBy: name, among: Array(byName.keys)) }
            guard needed.status.state == .running else {
                throw Failure(.state, "module \(name) needs \(dependency), which does not run; a module that comes late starts at once")
            }
        }
    }

    /// - Returns: Whether the caller is to start it.
    fileprivate mutating func admit(_ module: Module) -> Bool {
        switch phase {
        case .running:
            noteStarting(module)
            return true
        case .starting where !isUnwinding:
            module.status.missing = module.dependencies.count { !runs($0) }
            if module.status.missing == 0 { makeReady(module) }
            return false
        default: return false
        }
    }
}
