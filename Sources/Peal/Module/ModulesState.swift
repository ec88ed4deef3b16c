/// How far the modules of a center are. In C, `peal_modules_state`.
public enum ModulesState: Hashable, Sendable {
    case idle, starting, running
    /// They stop.
    case draining
    /// They have stopped, for good.
    case stopped
}
