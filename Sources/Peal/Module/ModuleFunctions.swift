internal import CPeal

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
