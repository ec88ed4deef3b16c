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
    /// They have stopped, for good.
    case stopped
}
