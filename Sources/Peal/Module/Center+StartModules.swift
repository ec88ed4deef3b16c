internal import CPeal

/// The state of a center's modules together. The C interface's `peal_modules_state`.
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
    /// Any thread that may block. The C interface's `peal_modules_start`.
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
    ///   ended.
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
    /// Any thread that may block, also from a step or an event. The C interface's `peal_modules_stop`.
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
