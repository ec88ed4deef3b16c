internal import CPeal
internal import Synchronization

extension Center {
    /// Waits until a service is registered, and blocks the thread meanwhile.
    ///
    /// - Parameters:
    ///   - type: The type with which it will be registered.
    ///   - name: Its name; the type's full name by default.
    ///   - timeout: How long to wait; nil for no limit.
    /// - Throws: ``PealError``: ``Status/timeout``; ``Status/handle`` when the center has ended, also meanwhile.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_wait`.
    @available(*, noasync, message: "it blocks the thread: await waitForService instead")
    public func waitForServiceBlocking<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, named name: String? = nil, timeout: Duration? = nil
    ) throws(PealError) -> ServiceProvider<Instance> {
        let name = name ?? TypeName.of(type)
        try CStrings.check(name, is: "the service's name")
        var service = peal_service()
        try PealError.check(peal_service_wait(handle, name, Milliseconds.limit(timeout), &service))
        return ServiceProvider(service, in: self)
    }

    /// Waits until a service is registered, and blocks no thread.
    ///
    /// - Parameters:
    ///   - type: The type with which it will be registered.
    ///   - name: Its name; the type's full name by default.
    ///   - timeout: How long to wait; nil for no limit.
    /// - Throws: ``PealError``: ``Status/timeout``; ``Status/handle`` when the center has ended, also meanwhile;
    ///   ``Status/state`` when the task was cancelled.
    ///
    /// Any task. The C interface's `peal_service_wait`.
    public func waitForService<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, named name: String? = nil, timeout: Duration? = nil
    ) async throws(PealError) -> ServiceProvider<Instance> {
        let name = name ?? TypeName.of(type)
        try CStrings.check(name, is: "the service's name")
        let wait = RegistrationWait()
        let observation = try observeServices(
            ClosureTarget(keeping: TargetEnd { wait.end(.centerEnded) }) {
                if $0 == .registered(name) { wait.end(nil) }
            })
        let alarm = timeout.map { timeout in
            Task {
                try await Task.sleep(for: timeout)
                wait.end(PealError(status: .timeout, message: "service '\(name)' was not registered in time"))
            }
        }
        defer {
            alarm?.cancel()
            observation.cancel()
        }
        // The search begins after the observer was registered, so no registration is missed. It repeats if the service
        // has ended meanwhile.
        while true {
            do throws(PealError) {
                return try service(type, named: name)
            } catch  where error.status == .notFound {
                try await wait.pass()
            }
        }
    }
}

extension PealError {
    fileprivate static var centerEnded: PealError {
        PealError(status: .handle, message: "the center has ended while a service was waited for")
    }
}

/// A waiter for a registration, and its possible ends.
private final class RegistrationWait: Sendable {
    private enum State {
        case waiting(CheckedContinuation<PealError?, Never>?)
        case over(PealError?)
    }

    private let state = Mutex(State.waiting(nil))

    /// Ends the wait. The first error counts; a registration counts until the next search.
    func end(_ error: PealError?) {
        let continuation = state.withLock { state -> CheckedContinuation<PealError?, Never>? in
            switch state {
            case .waiting(let continuation):
                state = .over(error)
                return continuation
            case .over(let before):
                state = .over(before ?? error)
                return nil
            }
        }
        continuation?.resume(returning: error)
    }

    /// Waits for the end. A registration ends one wait, and an error ends all.
    func pass() async throws(PealError) {
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> PealError?? in
                    if case .over(let error) = state { return .some(error) }
                    state = .waiting(continuation)
                    return .none
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            end(PealError(status: .state, message: "the task that waited for a service was cancelled"))
        }
        if let error { throw error }
        state.withLock { state in
            if case .over(nil) = state { state = .waiting(nil) }
        }
    }
}
