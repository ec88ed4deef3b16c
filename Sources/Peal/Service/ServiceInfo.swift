internal import CPeal

/// The state of a service, read atomically.
///
/// The C interface's `struct peal_service_info`.
public struct ServiceInfo: Sendable {
    /// The state of the instance.
    public enum State: Hashable, Sendable {
        /// There is no instance.
        case registered
        /// It is being made.
        case creating
        /// It is published, and its `initialize` runs.
        case initializing
        /// Its creation has succeeded.
        case ready
    }

    /// Its name.
    public let name: String
    /// The state of the instance.
    public let state: State
    /// True if it stays when a session ends.
    public let isPersistent: Bool
    /// The first caller of a get: `service NAME`, `module NAME`, `observer of PROTOCOL`, `owner NAME`, or
    /// `the program`; nil without an instance.
    public let createdBy: String?
    /// When its creation began, by the monotonic clock; nil without an instance.
    public let createdAt: Duration?
    /// How long its creation took; nil without an instance.
    public let creationTime: Duration?
    /// Its position in the order of the center's creations, from 1; nil without an instance.
    public let order: UInt64?
    /// The number of uses that have not ended.
    public let uses: Int
    /// How many instances there were so far.
    public let creations: Int
    /// How many creations have failed so far.
    public let failures: Int
    /// The sentence of the last failure; nil without.
    public let lastFailure: String?

    init(_ info: peal_service_info) {
        name = String(pealArray: info.name)
        state =
            switch info.state {
            case PEAL_SERVICE_CREATING: .creating
            case PEAL_SERVICE_INITIALIZING: .initializing
            case PEAL_SERVICE_READY: .ready
            default: .registered
            }
        isPersistent = info.flags & UInt32(PEAL_SERVICE_PERSISTENT.rawValue) != 0
        createdBy = .unlessEmpty(pealArray: info.created_by)
        createdAt = info.created_at == 0 ? nil : Duration.nanoseconds(Int64(clamping: info.created_at))
        creationTime = info.created_at == 0 ? nil : Duration.nanoseconds(Int64(clamping: info.creation_time))
        order = info.order == 0 ? nil : info.order
        uses = info.uses
        creations = info.creations
        failures = info.failures
        lastFailure = .unlessEmpty(pealArray: info.last_failure)
    }
}
