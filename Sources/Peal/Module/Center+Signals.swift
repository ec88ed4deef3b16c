internal import CPeal

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
    /// Any thread. The C interface's `peal_signal_bind`.
    public func bindSignal(_ signal: Int32, to action: SignalAction, on queue: Queue? = nil) throws(PealError) {
        let (action, timeout) = action.raw
        try PealError.check(peal_signal_bind(handle, signal, action, queue?.handle ?? peal_queue(), timeout))
    }

    /// Removes a binding: the signal has its previous effect again. The end of the center does so, too.
    ///
    /// - Throws: ``PealError`` with ``Status/notFound`` when the signal is not bound by this center.
    ///
    /// Any thread. The C interface's `peal_signal_remove_binding`.
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
    /// Any thread. The C interface's `peal_signals_bind_usual`.
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
