internal import CPeal

extension Center {
    /// The state of the center's modules together. The C interface's `peal_modules_get_state`.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    public var modulesState: ModulesState {
        get throws(PealError) {
            var state = PEAL_MODULES_IDLE
            try PealError.check(peal_modules_get_state(handle, &state))
            return switch state {
            case PEAL_MODULES_STARTING: .starting
            case PEAL_MODULES_RUNNING: .running
            case PEAL_MODULES_DRAINING: .draining
            case PEAL_MODULES_STOPPED: .stopped
            default: .idle
            }
        }
    }

    /// The modules: those that were started first, in that order, then the others in order of registration.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Any thread. The C interface's `peal_module_list`.
    public func modules() throws(PealError) -> [RegisteredModule] {
        try CStrings.handles(peal_module()) { Status(peal_module_list(handle, $0, $1, $2)) }
            .map { RegisteredModule($0, in: handle) }
    }

    /// The state of all modules, in the order of ``modules()``. The C interface's `peal_module_get_info`.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    public func moduleReport() throws(PealError) -> [ModuleInfo] {
        // A module that was removed meanwhile is omitted.
        try modules().compactMap { try? $0.info() }
    }

    /// Finds a module by its name.
    ///
    /// - Throws: ``PealError`` with ``Status/notFound``, whose sentence lists near names.
    ///
    /// Any thread. The C interface's `peal_module_find`.
    public func module(named name: String) throws(PealError) -> RegisteredModule {
        try CStrings.check(name, is: "the module's name")
        var module = peal_module()
        try PealError.check(peal_module_find(handle, name, &module))
        return RegisteredModule(module, in: handle)
    }

    /// Removes all modules of a class, in reverse start order, and waits without blocking a thread.
    ///
    /// - Returns: How many; ``Ending/pending`` as ``RegisteredModule/remove()``. In a step of such a module the number
    ///   is zero, since they are removed later.
    /// - Throws: ``PealError``: ``Status/notFound`` for an unknown class; ``Status/state`` when a running module needs
    ///   one of them: that one stays, and the others are removed.
    ///
    /// Any task. The C interface's `peal_modules_remove_class`.
    @discardableResult
    public func removeModules(ofClass name: String) async throws(PealError) -> (removed: Int, ending: Ending) {
        if let step = StepAttempt.running(in: handle), let own = try? module(named: step.module).info(),
            own.moduleClass == name
        {
            return (0, try step.endWithoutWaiting { () throws(PealError) in try self.removeClass(name).ending })
        }
        return try await Blocking.run(cancelled: .success((0, .pending))) { () throws(PealError) in
            try self.removeClass(name)
        }
    }

    /// Removes all modules of a class as ``removeModules(ofClass:)`` does. It blocks the thread.
    ///
    /// - Returns: As ``removeModules(ofClass:)``.
    /// - Throws: As ``removeModules(ofClass:)``.
    ///
    /// Any thread that may block. The C interface's `peal_modules_remove_class`.
    @available(*, noasync, message: "it blocks the thread: await removeModules instead")
    @discardableResult
    public func removeModulesBlocking(ofClass name: String) throws(PealError) -> (removed: Int, ending: Ending) {
        try removeClass(name)
    }

    private func removeClass(_ name: String) throws(PealError) -> (removed: Int, ending: Ending) {
        try CStrings.check(name, is: "the class")
        var removed = 0
        let ending = try Ending(checking: peal_modules_remove_class(handle, name, &removed))
        return (removed, ending)
    }

    /// Forwards a protocol to modules: each that has a table for it (``Module/tables``), now or later, observes it
    /// while it runs, in start order.
    ///
    /// - Throws: ``PealError``: ``Status/notFound`` for an unknown protocol.
    ///
    /// Any thread. The C interface's `peal_modules_forward`.
    public func forwardToModules(_ protocolName: String) throws(PealError) {
        try CStrings.check(protocolName, is: "the protocol's name")
        var proto = peal_protocol()
        try PealError.check(peal_protocol_find(handle, protocolName, &proto))
        try PealError.check(peal_modules_forward(proto))
    }
}
