public import CPeal

/// A module that was added to a center.
///
/// It is a value, and does not keep the module, which stays until ``remove()``, the end of its owner or of its center.
/// Thread rule: any thread. The C interface's `peal_module`.
public struct RegisteredModule: Hashable, Sendable {
    /// The module in the C interface.
    public let handle: peal_module
    private let center: peal_center

    init(_ handle: peal_module, in center: peal_center) {
        self.handle = handle
        self.center = center
    }

    /// Reads the state of the module.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when the module was removed.
    ///
    /// Thread rule: any thread. The C interface's `peal_module_get_info`.
    public func info() throws(PealError) -> ModuleInfo {
        var info = peal_module_info()
        info.size = MemoryLayout<peal_module_info>.size
        try PealError.check(peal_module_get_info(handle, &info))
        return ModuleInfo(info, thrown: StepRegistry.sentence(of: String(pealArray: info.name), in: center))
    }

    /// Removes the module: stops it if it runs, and waits for its calls and its stop, up to its time limit, without
    /// blocking a thread.
    ///
    /// - Returns: ``Ending/pending`` when a call of the module, or its stop, may still run, because the time has
    ///   passed, the task was cancelled, or this is a step of the module.
    /// - Throws: ``PealError``: ``Status/state`` when a module that runs needs it; ``Status/handle``.
    ///
    /// Any task. The C interface's `peal_module_remove`.
    @discardableResult
    public func remove() async throws(PealError) -> Ending {
        let handle = handle
        if let step = StepAttempt.running(in: center), let own = try? info().name, own == step.module {
            return try step.endWithoutWaiting { () throws(PealError) in try Ending(checking: peal_module_remove(handle))
            }
        }
        return try await Blocking.run(cancelled: .success(.pending)) { () throws(PealError) in
            try Ending(checking: peal_module_remove(handle))
        }
    }

    /// Removes the module as ``remove()`` does, and blocks the thread.
    ///
    /// - Returns: As ``remove()``; ``Ending/pending`` also from a call of the module.
    /// - Throws: As ``remove()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_module_remove`.
    @available(*, noasync, message: "it blocks the thread: await remove instead")
    @discardableResult
    public func removeBlocking() throws(PealError) -> Ending { try Ending(checking: peal_module_remove(handle)) }

    /// True if both are the same module.
    public static func == (left: RegisteredModule, right: RegisteredModule) -> Bool {
        left.handle.id == right.handle.id
    }

    /// Hashes the handle.
    public func hash(into hasher: inout Hasher) { hasher.combine(handle.id) }
}

extension Center {
    /// Adds a module, which is started with the others. While the modules run, it is started before this returns.
    ///
    /// - Parameters:
    ///   - module: *Retained* until it is removed, or the center ends.
    ///   - queue: Where its steps and events run; nil: on the thread that starts, stops or broadcasts.
    ///     *Retained*.
    ///   - owner: The owner; nil for the owner that the thread has entered, if any.
    /// - Throws: ``PealError``: ``Status/conflict`` when the name is taken; ``Status/conformance`` for a table that
    ///   does not fit; ``Status/state`` while the modules stop, or after. While they run also ``Status/start``, with
    ///   the error of its start, and ``Status/state`` for a dependency that does not run: it is not added then.
    ///
    /// Thread rule: any thread; it may wait. While the modules run it blocks until the module has started; a task
    /// awaits ``addAndStart(_:on:owner:)`` instead. The C interface's `peal_module_register`.
    @discardableResult
    public func add<Part: Module>(_ module: Part, on queue: Queue? = nil, owner: Owner? = nil) throws(PealError)
        -> RegisteredModule
    {
        let name = module.moduleName
        let box = TypedBox(module, module: module)
        box.steps = StepRegistration(name, in: handle)
        box.queue = queue
        let traits = ModuleTraits(
            name: name, moduleClass: module.moduleClass, dependencies: module.dependencies, priority: module.priority,
            stepTimeout: module.stepTimeout, tables: module.tables, service: nil)
        return try add(traits, context: box, queue, owner)
    }

    /// Adds a module, and waits for its start while the modules run, without blocking a thread.
    ///
    /// - Parameters:
    ///   - module: As ``add(_:on:owner:)``.
    ///   - queue: As ``add(_:on:owner:)``.
    ///   - owner: As ``add(_:on:owner:)``.
    /// - Throws: As ``add(_:on:owner:)``. Cancelling the task cancels the start.
    ///
    /// Any task. The C interface's `peal_module_register`.
    @discardableResult
    public func addAndStart<Part: Module>(
        _ module: Part, on queue: Queue? = nil, owner: Owner? = nil
    ) async throws(PealError) -> RegisteredModule {
        let current = peal_owner_get_current()
        return try await Blocking.runInTask { () throws(PealError) in
            // The module belongs to the owner of the calling thread, and not to the owner of the thread that waits.
            guard owner == nil, current.id != 0 else { return try self.add(module, on: queue, owner: owner) }
            try PealError.check(peal_owner_enter(current))
            defer { _ = peal_owner_leave() }
            return try self.add(module, on: queue)
        }
    }

    /// Adds a service as a module: its instance is made when it starts, receives the events, and is released after
    /// its stop.
    ///
    /// The properties of the module are parameters here, because the instance does not exist yet.
    ///
    /// - Parameters:
    ///   - service: The service of the instance.
    ///   - name: The module's name; the service's by default.
    ///   - moduleClass: A name that several modules may share.
    ///   - dependencies: The modules that are started before this one.
    ///   - priority: Among modules that could start next, the higher is earlier.
    ///   - stepTimeout: How long each step may take, the creation with it; nil for no limit.
    ///   - tables: As ``Module/tables``.
    ///   - queue: Where its steps and events run, and the service is made. *Retained*.
    ///   - owner: The owner.
    /// - Throws: As ``add(_:on:owner:)``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_module_register`.
    @discardableResult
    public func add<Part: Module>(
        _ service: ServiceProvider<Part>, named name: String? = nil, moduleClass: String? = nil,
        dependencies: [Dependency] = [],
        priority: Int32 = 0, stepTimeout: Duration? = .seconds(10), tables: [Provision] = [], on queue: Queue? = nil,
        owner: Owner? = nil
    ) throws(PealError) -> RegisteredModule {
        let serviceName = try service.info().name
        let name = name ?? serviceName
        let box = TypedBox((), module: nil)
        box.steps = StepRegistration(name, in: handle)
        box.queue = queue
        let traits = ModuleTraits(
            name: name, moduleClass: moduleClass, dependencies: dependencies, priority: priority,
            stepTimeout: stepTimeout, tables: tables, service: serviceName)
        return try add(traits, context: box, queue, owner)
    }

    private func add(
        _ traits: ModuleTraits, context: InstanceBox, _ queue: Queue?, _ owner: Owner?
    ) throws(PealError) -> RegisteredModule {
        try StepRegistry.watchTimeLimits(in: self)
        var module = peal_module()
        let status = try traits.withDescription { description in
            description.queue = queue?.handle ?? peal_queue()
            description.owner = owner?.handle ?? peal_owner()
            description.start = ModuleFunctions.start
            description.stop = ModuleFunctions.stop
            // Released by C, also where registering fails.
            description.context = Box.retain(context)
            description.release = Box.release
            return peal_module_register(handle, &description, &module)
        }
        guard status.rawValue < 0 else { return RegisteredModule(module, in: handle) }
        // The error of its start is removed with the box, so the box lives until the error is read.
        throw withExtendedLifetime(context) {
            StepRegistry.complete(PealError.failure(status), of: traits.name, in: handle)
        }
    }
}

/// The C functions of every module that is made in Swift: its `self` is a box with the module.
enum ModuleFunctions {
    typealias Step = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<peal_module_step>?) -> peal_status

    static let start: Step = { pointer, step in run(.start, pointer, step) }
    static let stop: Step = { pointer, step in run(.stop, pointer, step) }

    /// The table that calls the module for the events of the life cycle.
    static var lifecycle: Provision {
        // A C function cannot use `Self`, so the type is named.
        var table = peal_lifecycle()
        table.will_start = { ModuleFunctions.module($0)?.willStart() }
        table.did_start = { ModuleFunctions.module($0)?.didStart() }
        table.will_terminate = { ModuleFunctions.module($0)?.willTerminate() }
        table.will_resign_active = { ModuleFunctions.module($0)?.willResignActive() }
        table.did_become_active = { ModuleFunctions.module($0)?.didBecomeActive() }
        table.did_enter_background = { ModuleFunctions.module($0)?.didEnterBackground() }
        table.will_enter_foreground = { ModuleFunctions.module($0)?.willEnterForeground() }
        table.memory_warning = { ModuleFunctions.module($0)?.memoryWarning() }
        table.configuration_reloaded = { ModuleFunctions.module($0)?.configurationReloaded() }
        table.open_url = { ModuleFunctions.module($0)?.openURL($1.map { String(cString: $0) } ?? "") ?? false }
        table.continue_activity = { pointer, type, data in
            let type = type.map { String(cString: $0) } ?? ""
            return ModuleFunctions.module(pointer)?.continueActivity(type: type, data: data.map { String(cString: $0) })
                ?? false
        }
        table.remote_notification = {
            ModuleFunctions.notify(ModuleFunctions.module($0), $1.map { String(cString: $0) } ?? "", $2)
        }
        return Provision("PealLifecycle", table)
    }

    private static func module(_ pointer: UnsafeMutableRawPointer?) -> (any Module)? {
        pointer.flatMap { Box.object($0, as: InstanceBox.self).module }
    }

    private static func notify(_ module: (any Module)?, _ payload: String, _ done: peal_completion) {
        Task.immediate {
            if let answer = await module?.remoteNotification(payload) {
                _ = peal_complete(done, answer)
            } else {
                _ = peal_completion_release(done)
            }
        }
    }

    /// Begins a step on this thread. A step that suspends is deferred, and answers when it ends.
    private static func run(
        _ kind: StepAttempt.Kind, _ pointer: UnsafeMutableRawPointer?, _ step: UnsafeMutablePointer<peal_module_step>?
    ) -> peal_status {
        guard let module = module(pointer), let step else { return PEAL_ERROR_START }
        let attempt = StepAttempt(kind, step.pointee)
        // The start of all was cancelled. The stops of the started modules are not cancelled.
        if kind == .start, Task.isCancelled {
            _ = attempt.end(CancellationError())
            return attempt.leave(step)
        }
        let center = Center(borrowing: step.pointee.center)
        let task = Task.immediate {
            do {
                try await StepAttempt.$current.withValue(attempt) { try await perform(kind, module, center) }
                // A start that succeeds too late is undone, since its module is not started.
                if !attempt.end(nil), kind == .start { Task { try await perform(.stop, module, center) } }
            } catch {
                _ = attempt.end(error)
            }
        }
        attempt.note(task)
        return attempt.leave(step)
    }

    private static func perform(_ kind: StepAttempt.Kind, _ module: any Module, _ center: Center) async throws {
        switch kind {
        case .start: try await module.start(in: center)
        case .stop: try await module.stop(in: center)
        }
    }
}
