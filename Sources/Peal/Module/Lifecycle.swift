internal import CPeal

/// Broadcasts the application's events to the modules of a center, and to all other observers of `PealLifecycle`.
///
/// ```swift
/// try center.lifecycle.didBecomeActive()
/// let isOpened = try center.lifecycle.openURL("mail:inbox")
/// ```
///
/// The start and the stop of the modules broadcast `willStart`, `didStart` and `willTerminate`. Each function
/// broadcasts on the calling thread, in start order, and throws ``PealError`` with ``Status/handle`` when the center
/// has ended. In C, `struct peal_lifecycle_protocol`.
public struct Lifecycle: Sendable {
    let center: Center

    /// The application is about to lose the user's attention.
    public func willResignActive() throws(PealError) { try notify("will_resign_active") }
    /// The application has the user's attention.
    public func didBecomeActive() throws(PealError) { try notify("did_become_active") }
    /// The user sees the application no more.
    public func didEnterBackground() throws(PealError) { try notify("did_enter_background") }
    /// The user will see the application again.
    public func willEnterForeground() throws(PealError) { try notify("will_enter_foreground") }
    /// Memory is short.
    public func memoryWarning() throws(PealError) { try notify("memory_warning") }
    /// The configuration has changed.
    public func configurationReloaded() throws(PealError) { try notify("configuration_reloaded") }

    /// Calls the modules in order until one opens a URL.
    ///
    /// - Parameter url: The URL.
    /// - Returns: True if a module did.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    public func openURL(_ url: String) throws(PealError) -> Bool {
        try ask("open_url", [url])
    }

    /// Calls the modules in order until one continues an activity of the user.
    ///
    /// - Parameters:
    ///   - type: The kind of activity.
    ///   - data: Its data; nil for none.
    /// - Returns: True if a module did.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    public func continueActivity(type: String, data: String? = nil) throws(PealError) -> Bool {
        try ask("continue_activity", [type, data])
    }

    private func notify(_ method: String) throws(PealError) {
        try PealError.check(peal_send(try find(method), nil, 0, nil, nil))
    }

    private func ask(_ method: String, _ texts: [String?]) throws(PealError) -> Bool {
        for text in texts { try CStrings.check(text ?? "", is: "the text") }
        let method = try find(method)
        var answer = false
        try CStrings.withList(texts.map { $0 ?? "" }) { characters throws(PealError) in
            var values = texts.indices.map { texts[$0] == nil ? nil : characters[$0] }
            let count = values.count
            let status = values.withUnsafeMutableBufferPointer { values in
                let arguments = values.indices.map {
                    UnsafeMutableRawPointer(values.baseAddress! + $0) as UnsafeMutableRawPointer?
                }
                return peal_send(method, arguments, count, &answer, nil)
            }
            try PealError.check(status)
        }
        return answer
    }

    func find(_ name: String) throws(PealError) -> peal_method {
        var proto = peal_protocol()
        try PealError.check(peal_protocol_find(center.handle, "PealLifecycle", &proto))
        var method = peal_method()
        try PealError.check(peal_method_find(proto, name, &method))
        return method
    }
}

extension Center {
    /// Broadcasts the application's events to the modules.
    public var lifecycle: Lifecycle { Lifecycle(center: self) }
}

extension Lifecycle {
    /// Passes a remote notification to the modules, and waits until all have answered or dropped it.
    ///
    /// - Parameters:
    ///   - payload: Its data.
    ///   - timeout: How long to wait; nil for no limit.
    /// - Returns: The answers; their result is the greatest.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended; ``Status/argument`` for a payload
    ///   with a zero inside; `CancellationError` when the task is cancelled before all have answered.
    ///
    /// Any task; the events begin at once. The C interface's `peal_completion_create`, and the method
    /// `remote_notification`.
    public nonisolated(nonsending) func remoteNotification(
        _ payload: String, timeout: Duration? = nil
    ) async throws -> Answers {
        let method = try center.method("remote_notification", of: "PealLifecycle", taking: String.self, Completion.self)
        return try await center.ask(method, payload, folding: .max, timeout: timeout)
    }
}

extension Center {
    /// Binds a POSIX signal to an action. The handler only requests the action, which runs on a queue.
    ///
    /// ```swift
    /// try center.bindSignal(SIGTERM, to: .terminate(timeout: .seconds(5)))
    /// ```
    ///
    /// - Parameters:
    ///   - signal: SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGQUIT, SIGALRM or SIGWINCH.
    ///   - action: Its effect.
    ///   - queue: Where the action runs, kept by the caller until the signal is unbound; nil for a serial queue of
    ///     peal's.
    /// - Throws: ``PealError``: ``Status/conflict`` when the signal is bound, or has a handler of the program;
    ///   ``Status/argument`` for another signal, or ``SignalAction/background`` for another than SIGTSTP.
    ///
    /// Thread rule: any thread. The C interface's `peal_signal_bind`.
    public func bindSignal(_ signal: Int32, to action: SignalAction, on queue: Queue? = nil) throws(PealError) {
        let (action, timeout) = action.raw
        try PealError.check(peal_signal_bind(handle, signal, action, queue?.handle ?? peal_queue(), timeout))
    }

    /// Removes a binding: the signal has its previous effect again. The end of the center does so, too.
    ///
    /// - Throws: ``PealError`` with ``Status/notFound`` when the signal is not bound by this center.
    ///
    /// Thread rule: any thread. The C interface's `peal_signal_remove_binding`.
    public func unbindSignal(_ signal: Int32) throws(PealError) {
        try PealError.check(peal_signal_remove_binding(handle, signal))
    }

    /// Binds the usual signals, or none: SIGTERM and SIGINT terminate, SIGHUP reloads, SIGTSTP and SIGCONT are the
    /// background and the foreground.
    ///
    /// - Parameters:
    ///   - timeout: How long all modules together may take to stop; nil for no limit.
    ///   - queue: As for ``bindSignal(_:to:on:)``.
    /// - Throws: ``PealError`` as ``bindSignal(_:to:on:)``.
    ///
    /// Thread rule: any thread. The C interface's `peal_signals_bind_usual`.
    public func bindUsualSignals(timeout: Duration?, on queue: Queue? = nil) throws(PealError) {
        try PealError.check(peal_signals_bind_usual(handle, queue?.handle ?? peal_queue(), Milliseconds.limit(timeout)))
    }
}

/// The effect of a POSIX signal on the modules of a center. The C interface's `peal_signal_action`.
public enum SignalAction: Hashable, Sendable {
    /// Stops the modules, within a time limit for all together (nil for none). The signal is caught once: the second
    /// one has its previous effect.
    case terminate(timeout: Duration?)
    /// Broadcasts `configurationReloaded`.
    case reload
    /// Broadcasts `willResignActive` and `didEnterBackground`; then the process is stopped as the signal
    /// would have done. For SIGTSTP alone.
    case background
    /// Broadcasts `willEnterForeground` and `didBecomeActive`.
    case foreground
    /// Ends the session (``Center/endSession()``).
    case endSession

    var raw: (action: peal_signal_action, timeout: UInt32) {
        switch self {
        case .terminate(let timeout): (PEAL_SIGNAL_TERMINATE, Milliseconds.limit(timeout))
        case .reload: (PEAL_SIGNAL_RELOAD, 0)
        case .background: (PEAL_SIGNAL_BACKGROUND, 0)
        case .foreground: (PEAL_SIGNAL_FOREGROUND, 0)
        case .endSession: (PEAL_SIGNAL_END_SESSION, 0)
        }
    }
}
