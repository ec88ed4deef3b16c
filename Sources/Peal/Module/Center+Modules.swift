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
    /// Thread rule: any thread. The C interface's `peal_module_list`.
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
    /// Thread rule: any thread. The C interface's `peal_module_find`.
    public func module(named name: String) throws(PealError) -> RegisteredModule {
        try CStrings.check(name, is: "the module's name")
        var module = peal_module()
        try PealError.check(peal_module_find(handle, name, &module))
        return RegisteredModule(module, in: handle)
    }

    /// Removes all modules of a class, in reverse start order, and waits without blocking a thread.
    ///
    /// - Returns: The number of removed modules; ``Ending/pending`` as ``RegisteredModule/remove()``. In a step of such
    ///   a module the number is zero, because the modules are removed later.
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
    /// Thread rule: any thread; it may wait. The C interface's `peal_modules_remove_class`.
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
    /// Thread rule: any thread. The C interface's `peal_modules_forward`.
    public func forwardToModules(_ protocolName: String) throws(PealError) {
        try CStrings.check(protocolName, is: "the protocol's name")
        var proto = peal_protocol()
        try PealError.check(peal_protocol_find(handle, protocolName, &proto))
        try PealError.check(peal_modules_forward(proto))
    }
}

/// The state of a module, read atomically. The states of all modules together are the report of the start.
///
/// The C interface's `struct peal_module_info`.
public struct ModuleInfo: Sendable {
    /// The progress of a module.
    public enum State: Hashable, Sendable {
        /// The module was added, and has not been started.
        case registered
        /// The start of the module runs.
        case starting
        /// The module has started, and receives events.
        case running
        /// The stop of the module runs.
        case stopping
        /// The stop of the module has ended.
        case stopped
        /// The start of the module has failed.
        case failed
    }

    /// The module's name.
    public let name: String
    /// The progress of the module.
    public let state: State
    /// A name that several modules may share; nil without one.
    public let moduleClass: String?
    /// Among modules that could start next, the higher is earlier.
    public let priority: Int32
    /// The names of the modules that this one needs. The list is cut to some thousand bytes.
    public let dependencies: [String]
    /// The module's position in the start order, from 1; nil before its start.
    public let order: UInt64?
    /// The monotonic time at which the start began; nil before.
    public let startedAt: Duration?
    /// The duration of the start so far.
    public let startTime: Duration
    /// The duration of the stop so far.
    public let stopTime: Duration
    /// True if a step's time limit has passed.
    public let isOverdue: Bool
    /// The sentence of the last failure; nil without a failure.
    public let lastFailure: String?

    init(_ info: peal_module_info, thrown: String?) {
        name = String(pealArray: info.name)
        state =
            switch info.state {
            case PEAL_MODULE_STARTING: .starting
            case PEAL_MODULE_RUNNING: .running
            case PEAL_MODULE_STOPPING: .stopping
            case PEAL_MODULE_STOPPED: .stopped
            case PEAL_MODULE_FAILED: .failed
            default: .registered
            }
        moduleClass = .unlessEmpty(pealArray: info.class_name)
        priority = info.priority
        dependencies = String(pealArray: info.dependencies).split(separator: ", ").map(String.init)
        order = info.order == 0 ? nil : info.order
        startedAt = info.started_at == 0 ? nil : Duration.nanoseconds(Int64(clamping: info.started_at))
        startTime = Duration.nanoseconds(Int64(clamping: info.start_time))
        stopTime = Duration.nanoseconds(Int64(clamping: info.stop_time))
        isOverdue = info.is_overdue
        lastFailure = thrown ?? .unlessEmpty(pealArray: info.last_failure)
    }
}

/// The state of a center's modules together. The C interface's `peal_modules_state`.
public enum ModulesState: Hashable, Sendable {
    /// The modules were not started yet, or their start has failed.
    case idle
    /// The modules are being started.
    case starting
    /// All modules have started.
    case running
    /// The modules are being stopped.
    case draining
    /// The modules have stopped. This state is final.
    case stopped
}

extension Center {
    /// Starts all modules: dependencies first, then by priority, then in order of registration. Calls `willStart` on
    /// all before, and `didStart` after. Waits without blocking a thread.
    ///
    /// The starts run on a thread of their own until they suspend. When a start fails, or its time limit expires, the
    /// started modules are stopped in reverse order, and the modules are idle again: the start may be repeated.
    /// ``moduleReport()`` has how long each start took.
    ///
    /// - Throws: ``PealError``: ``Status/start``, with the module's error; ``Status/notFound`` for a missing
    ///   dependency, and ``Status/cycle`` with the path: then nothing was started; ``Status/timeout``;
    ///   ``Status/state`` when they start or run already, have been stopped, or the task was cancelled;
    ///   ``Status/wouldDeadlock`` from within a step.
    ///
    /// Cancelling the task cancels the start of a module that runs, and fails the next one. Steps have the task-local
    /// values of the task, unless their module has a queue.
    ///
    /// Any task. The C interface's `peal_modules_start`.
    public func startModules() async throws(PealError) {
        if StepAttempt.running(in: handle) != nil { return try start() }
        let handle = handle
        let failure = await withTaskCancellationHandler { () async -> PealError? in
            do throws(PealError) {
                try await Blocking.runInTask { () throws(PealError) in try self.start() }
                return nil
            } catch {
                return error
            }
        } onCancel: {
            StepRegistry.cancel(.start, in: handle)
        }
        if let failure { throw Task.isCancelled && failure.status == .start ? .cancelled : failure }
    }

    /// Starts all modules as ``startModules()`` does, and blocks the thread until all have started.
    ///
    /// A module of the main actor does not start if this blocks the main thread.
    ///
    /// - Throws: As ``startModules()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_modules_start`.
    @available(*, noasync, message: "it blocks the thread: await startModules instead")
    public func startModulesBlocking() throws(PealError) { try start() }

    private func start() throws(PealError) {
        if let step = StepAttempt.running(in: handle), step.isDeferred {
            throw PealError(
                status: .wouldDeadlock,
                message:
                    "a start from a step of a module would wait for itself; start the modules outside of their steps")
        }
        let status = peal_modules_start(handle)
        guard status.rawValue < 0 else { return }
        let error = PealError.failure(status)
        // The report lists the failed module until the next start.
        let failed = try? moduleReport().first { $0.state == .failed }
        throw failed.map { StepRegistry.complete(error, of: $0.name, in: handle) } ?? error
    }

    /// Stops all modules in reverse start order. Stopping is final. Calls `willTerminate` on all before. Waits without
    /// blocking a thread.
    ///
    /// The stops run on a thread of their own until they suspend. A module receives no event after its own stop has
    /// begun. A stop that throws, or whose time limit expires, is reported, and the next module is stopped.
    ///
    /// Cancelling the task does not end the wait, because modules have to stop; the time limit does, and it cancels the
    /// stops that run.
    ///
    /// - Parameter timeout: How long all together may take; nil for no limit.
    /// - Returns: ``Ending/pending`` from within a step or an event of a module: then they are stopped when that has
    ///   ended. The same if an event or a step of a module still runs after its time limit: its stop follows.
    /// - Throws: ``PealError``: ``Status/timeout`` when the time has passed, and a module was stopped without waiting
    ///   for it; ``Status/handle``.
    ///
    /// Any task. The C interface's `peal_modules_stop`.
    @discardableResult
    public func stopModules(timeout: Duration? = nil) async throws(PealError) -> Ending {
        if let step = StepAttempt.running(in: handle) {
            return try step.endWithoutWaiting { () throws(PealError) in try self.stop(timeout) }
        }
        return try await Blocking.runInTask { () throws(PealError) in try self.stop(timeout) }
    }

    /// Stops all modules as ``stopModules(timeout:)`` does, and blocks the thread until all have stopped.
    ///
    /// - Parameter timeout: How long all together may take; nil for no limit.
    /// - Returns: As ``stopModules(timeout:)``.
    /// - Throws: As ``stopModules(timeout:)``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_modules_stop`.
    @available(*, noasync, message: "it blocks the thread: await stopModules instead")
    @discardableResult
    public func stopModulesBlocking(timeout: Duration? = nil) throws(PealError) -> Ending {
        guard let step = StepAttempt.running(in: handle) else { return try stop(timeout) }
        return try step.endWithoutWaiting { () throws(PealError) in try self.stop(timeout) }
    }

    private func stop(_ timeout: Duration?) throws(PealError) -> Ending {
        let status = peal_modules_stop(handle, Milliseconds.limit(timeout))
        if status == PEAL_ERROR_TIMEOUT { StepRegistry.cancel(.stop, in: handle) }
        return try Ending(checking: status)
    }
}
