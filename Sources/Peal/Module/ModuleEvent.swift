/// What happened to a module: the built-in protocol `PealModules`, in Swift.
///
/// The C interface's `struct peal_module_events`.
public enum ModuleEvent: Hashable, Sendable {
    /// Of a module's life.
    public enum Step: Hashable, Sendable {
        /// ``Module/start(in:)``.
        case start
        /// ``Module/stop(in:)``.
        case stop
    }

    /// It was started.
    case started(String, after: Duration)
    /// It was stopped.
    case stopped(String, after: Duration)
    /// A step has failed. Of a step that had suspended, ``ModuleInfo/lastFailure`` has what it threw.
    case failed(String, step: Step, message: String)
    /// A step's time limit has passed; it runs still.
    case overdue(String, step: Step, after: Duration)
    /// A signal that is bound has come; its action runs next.
    case signal(Int32)
}
