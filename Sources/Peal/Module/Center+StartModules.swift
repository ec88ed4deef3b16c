internal import CPeal

/// How far the modules of a center are. The C interface's `peal_modules_state`.
public enum ModulesState: Hashable, Sendable {
    /// They were not started yet, or their start has failed.
    case idle
    /// They start.
    case starting
    /// All have started.
    case running
    /// They stop.
    case draining
    /// They have stopped. This is final.
    case stopped
}

extension Center {
    /// Starts all modules: dependencies first, then by priority, then in order of registration. Calls `willStart` on
    /// all before, and `didStart` after.
    ///
    /// When a start fails, or its time limit expires, the started modules are stopped in reverse order, and the
    /// modules are idle again: the start may be repeated. ``moduleReport()`` has how long each start took.
    ///
    /// - Throws: ``PealError``: ``Status/start``, with the module's error; ``Status/notFound`` for a missing
    ///   dependency, and ``Status/cycle`` with the path: then nothing was started; ``Status/timeout``;
    ///   ``Status/state`` when they start or run already, or have been stopped; ``Status/wouldDeadlock`` from within a
    ///   step.
    ///
    /// Any thread that may block. In a task the form that is awaited is taken: it blocks no thread of the tasks, so
    /// that starts which suspend can continue, for example on the main actor. Statements of a `main.swift` count as
    /// no task: await it in a function. The C interface's `peal_modules_start`.
    public func startModules() throws(PealError) {
        if isInDeferredStep {
            throw PealError(
                status: .wouldDeadlock, message: "a start from a step of a module would wait for itself; start the modules outside of their steps")
        }
        let status = peal_modules_start(handle)
        guard status.rawValue < 0 else { return }
        throw StepFailures.complete(PealError.failure(status), in: handle)
    }

    /// Starts all modules, and waits without blocking a thread. The starts run on a thread of their own until they
    /// suspend.
    ///
    /// - Throws: As the form that is not awaited.
    ///
    /// Any task. The C interface's `peal_modules_start`.
    public func startModules() async throws(PealError) {
        guard !isInStep else { return try startHere() }
        return try await Blocking.run { () throws(PealError) in try self.startModules() }
    }

    /// Stops all modules in reverse start order. Stopping is final. Calls `willTerminate` on all before. A module
    /// receives no event after its own stop has begun. A stop that throws, or whose time limit expires, is reported,
    /// and the next module is stopped.
    ///
    /// - Parameter limit: How long all together may take; nil for no limit.
    /// - Returns: ``Ending/pending`` from within a step or an event of a module: then they are stopped when that has
    ///   ended.
    /// - Throws: ``PealError``: ``Status/timeout`` when the limit has expired, and a module was stopped without waiting
    ///   for it; ``Status/handle``.
    ///
    /// Any thread that may block. In a task the form that is awaited is taken. The C interface's `peal_modules_stop`.
    @discardableResult
    public func stopModules(within limit: Duration? = nil) throws(PealError) -> Ending {
        guard isInDeferredStep else { return try Ending(checking: peal_modules_stop(handle, Milliseconds.limit(limit))) }
        // The stop waits for the step to end, so this does not wait for the stop.
        let handle = handle
        guard Blocking.start({ _ = peal_modules_stop(handle, Milliseconds.limit(limit)) }) else { throw Blocking.noThread }
        return .pending
    }

    /// Stops all modules, and waits without blocking a thread. The stops run on a thread of their own until they
    /// suspend.
    ///
    /// - Parameter limit: How long all together may take; nil for no limit.
    /// - Returns: As the form that is not awaited.
    /// - Throws: As the form that is not awaited.
    ///
    /// Any task. The C interface's `peal_modules_stop`.
    @discardableResult
    public func stopModules(within limit: Duration? = nil) async throws(PealError) -> Ending {
        guard !isInStep else { return try stopHere(limit) }
        return try await Blocking.run { () throws(PealError) in try self.stopModules(within: limit) }
    }

    // Of two forms, a function that is no task takes the one that is not awaited.
    private func startHere() throws(PealError) { try startModules() }
    private func stopHere(_ limit: Duration?) throws(PealError) -> Ending { try stopModules(within: limit) }

    /// True if this is a step of one of its modules, whatever the thread.
    private var isInStep: Bool { StepAttempt.current.map { $0.center.number == handle.number && !$0.isOver } ?? false }

    /// The same for a suspended step, whose thread is not registered in C.
    private var isInDeferredStep: Bool {
        StepAttempt.current.map { $0.center.number == handle.number && $0.isDeferred } ?? false
    }
}
