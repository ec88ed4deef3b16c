internal import CPeal

extension Center {
    /// Adds a module. It is started with the others; while the modules run, it is started at once, before this returns.
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
    /// Any thread, also from a callback. While the modules run it blocks until the module has started; a task awaits
    /// ``addAndStart(_:on:owner:)`` instead. The C interface's `peal_module_register`.
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
        let current = peal_owner_current()
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
    ///   - dependencies: The modules that are started before it.
    ///   - priority: Among modules that could start next, the higher is earlier.
    ///   - stepTimeout: How long each step may take, the creation with it; nil for no limit.
    ///   - tables: As ``Module/tables``.
    ///   - queue: Where its steps and events run, and the service is made. *Retained*.
    ///   - owner: The owner.
    /// - Throws: As ``add(_:on:owner:)``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_module_register`.
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
