internal import CPealSupport
import PealCall

extension Mediator {
    /// Registers a module, and starts it if the others run already. If this fails, the release function is called.
    public static func register(_ description: ModuleDescription, in center: Center) throws(Failure) -> Module {
        let module: Module
        let action: ModuleAction
        do throws(Failure) {
            (module, action) = try center.modules().add(description)
        } catch {
            description.release?(description.context)
            throw error
        }
        if action == .start { try module.mediator.startLate(module) }
        return module
    }

    private func add(_ description: ModuleDescription) throws(Failure) -> (Module, ModuleAction) {
        let dependencies = try description.checkedDependencies()
        let tables = try description.readTables(in: center)
        if let service = description.service { _ = try Service.find(service, in: center) }
        return try center.makePermanent { () throws(Failure) in
            try insert(description, dependencies: dependencies, tables: tables)
        }
    }

    private func insert(
        _ description: ModuleDescription, dependencies: [String], tables: [Module.Table]
    ) throws(Failure) -> (Module, ModuleAction) {
        try withState { (state) throws(Failure) in
            let action = state.request(.register)
            try state.check(description.name, dependencies, action)
            state.registrations += 1
            let module = try Handles.modules.insert { id in
                Module(
                    id: id, description, dependencies: dependencies, tables: tables,
                    sequence: state.registrations, mediator: self)
            }
            do throws(Failure) {
                try module.queue?.addMember(module)
                try module.owner?.add(module)
            } catch {
                module.queue?.removeMember(module)
                Handles.modules.remove(module.id)
                throw error
            }
            state.add(module)
            switch action {
            case .start: return (module, state.request(.start, of: module))
            case .enqueue: state.enqueue(module)
            case .none, .stop, .release, .wait, .refuse: break
            }
            return (module, action)
        }
    }
}

extension MediatorState {
    fileprivate func check(_ name: String, _ dependencies: [String], _ action: ModuleAction) throws(Failure) {
        guard action != .refuse else { throw .notIdle(phase) }
        guard byName[name] == nil else {
            throw Failure(.conflict, "there is a module \(name) already; remove it first, or choose another name")
        }
        guard action == .start else { return }
        for dependency in dependencies {
            guard let needed = byName[dependency] else {
                throw .missing(dependency, neededBy: name, among: Array(byName.keys))
            }
            guard needed.status.state == .running else {
                throw Failure(
                    .state,
                    "module \(name) needs \(dependency), which is not running; start that first, because a late module starts at once"
                )
            }
        }
    }
}
