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
                try module.queue?.remember(module)
                try module.owner?.remember(module)
            } catch {
                module.queue?.forget(module)
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
            let hasQueue = description.queue != nil
            tables.append(
                try center.withState { (state) throws(Failure) in
                    let functions = try state.readFunctions(of: registration)
                    let (told, asked) =
                        hasQueue ? try ModuleQuestion.split(functions, of: proto, in: state) : (functions, nil)
                    return Module.Table(proto: proto, functions: functions, told: told, asked: asked)
                })
        }
        return tables
    }

    /// One that comes while the others run. It is claimed.
    private func startLate(_ module: Module) throws(Failure) {
        var failure = start(module)
        if failure == nil, !module.functions(for: lifecycle.didStart).isEmpty {
            if let step = ModuleStep.make(.didStart, of: module) { _ = run(step) }
        }
        let removal = withState { state -> MediatorState.Removal in
            if failure == nil, module.status.isMember, state.phase != .running { failure = .stoppedMeanwhile }
            return failure == nil ? .wait : state.claimRemoval(of: module)
        }
        settle(module, removal)
        if let failure { throw failure }
    }

    /// Does what the caller has claimed, and waits for no other thread.
    func settle(_ module: Module, _ removal: MediatorState.Removal) {
        switch removal {
        case .finish: _ = finish(module)
        case .stop: _ = stop(module)
        case .wait: break
        }
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
