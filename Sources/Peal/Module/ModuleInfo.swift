internal import CPeal

/// The state of a module, read atomically. The states of all modules together are the report of the start.
///
/// The C interface's `struct peal_module_info`.
public struct ModuleInfo: Sendable {
    /// How far a module is.
    public enum State: Hashable, Sendable {
        /// It was added, and has not been started.
        case registered
        /// Its start runs.
        case starting
        /// It was started, and receives events.
        case running
        /// Its stop runs.
        case stopping
        /// Its stop has ended.
        case stopped
        /// Its start has failed.
        case failed
    }

    /// Its name.
    public let name: String
    /// How far it is.
    public let state: State
    /// A name that it may share with others; nil without.
    public let moduleClass: String?
    /// Among modules that could start next, the higher is earlier.
    public let priority: Int32
    /// The names of the modules that it needs. The list is cut to some thousand bytes.
    public let dependencies: [String]
    /// Its position in the order of the start, from 1; nil before.
    public let order: UInt64?
    /// When its start began, by the monotonic clock; nil before.
    public let startedAt: Duration?
    /// How long its start took, or has taken so far.
    public let startTime: Duration
    /// How long its stop took, or has taken so far.
    public let stopTime: Duration
    /// True if a step's time limit has passed.
    public let isOverdue: Bool
    /// The sentence of the last failure; nil without.
    public let lastFailure: String?

    init(_ info: peal_module_info, thrown: String?) {
        name = String(pealArray: info.name)
        state =
            switch info.state {
            case PEAL_MODULE_STARTING: .starting
            case PEAL_MODULE_RUNNING: .running
            case PEAL_MODULE_STOPPING: .stopping
            case PEAL_MODULE_STOPPED: .stopped
            case PEAL_MODULE_FAILED: .failed
            default: .registered
            }
        moduleClass = .unlessEmpty(pealArray: info.class_name)
        priority = info.priority
        dependencies = String(pealArray: info.dependencies).split(separator: ", ").map(String.init)
        order = info.order == 0 ? nil : info.order
        startedAt = info.started_at == 0 ? nil : Duration.nanoseconds(Int64(clamping: info.started_at))
        startTime = Duration.nanoseconds(Int64(clamping: info.start_time))
        stopTime = Duration.nanoseconds(Int64(clamping: info.stop_time))
        isOverdue = info.is_overdue
        lastFailure = thrown ?? .unlessEmpty(pealArray: info.last_failure)
    }
}
