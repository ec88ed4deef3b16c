import CPeal

/// The effect of a broadcast on a full queue with a capacity. Dropped and refused calls are counted:
/// ``Queue/counts()``.
///
/// The C interface's `peal_overflow`.
public enum Overflow: Sendable, Hashable {
    /// It refuses the new calls.
    case reject
    /// It drops what has waited longest.
    case dropOldest
    /// It drops the new calls.
    case dropNewest
    /// It drops the oldest broadcast of the same method; without one, the oldest of all.
    case keepLatest
    /// It waits for room that long, and then refuses. From a call of the same queue it refuses at once.
    case wait(Duration)

    func apply(to options: inout peal_queue_options) {
        switch self {
        case .reject: options.overflow = PEAL_OVERFLOW_REJECT
        case .dropOldest: options.overflow = PEAL_OVERFLOW_DROP_OLDEST
        case .dropNewest: options.overflow = PEAL_OVERFLOW_DROP_NEWEST
        case .keepLatest: options.overflow = PEAL_OVERFLOW_KEEP_LATEST
        case .wait(let timeout):
            options.overflow = PEAL_OVERFLOW_WAIT
            options.wait = Milliseconds.limit(timeout)
        }
    }
}
