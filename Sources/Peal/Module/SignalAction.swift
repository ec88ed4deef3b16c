internal import CPeal

/// What a POSIX signal does to the modules of a center. The C interface's `peal_signal_action`.
public enum SignalAction: Hashable, Sendable {
    /// Stops the modules, within a time limit for all together (nil for none). The signal is caught once: the second
    /// one does what it did before.
    case terminate(within: Duration?)
    /// Tells the modules of `configurationReloaded`.
    case reload
    /// Tells the modules of `willResignActive` and `didEnterBackground`; then the process is stopped as the signal
    /// would have done. For SIGTSTP alone.
    case background
    /// Tells the modules of `willEnterForeground` and `didBecomeActive`.
    case foreground
    /// Ends the session (``Center/endSession()``).
    case endSession

    var raw: (action: peal_signal_action, timeout: UInt32) {
        switch self {
        case .terminate(let limit): (PEAL_SIGNAL_TERMINATE, Milliseconds.limit(limit))
        case .reload: (PEAL_SIGNAL_RELOAD, 0)
        case .background: (PEAL_SIGNAL_BACKGROUND, 0)
        case .foreground: (PEAL_SIGNAL_FOREGROUND, 0)
        case .endSession: (PEAL_SIGNAL_END_SESSION, 0)
        }
    }
}
