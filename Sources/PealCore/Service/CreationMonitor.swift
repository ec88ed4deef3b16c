internal import CPealSupport
import PealCall

/// The lock and the event count of the process for rare operations: the beginning and the end of a creation, of a
/// session, and of a registration of a service.
///
/// The lock of services and those of creations are acquired under this one. It makes the search for circular
/// dependencies and the wait that follows one step.
enum CreationMonitor {
    // Never freed.
    private nonisolated(unsafe) static let lock = {
        let lock = UnsafeMutablePointer<peal_lock>.allocate(capacity: 1)
        lock.initialize(to: peal_lock())
        return lock
    }()
    private nonisolated(unsafe) static let changes = EventCount.make()

    static func locked<Result, Mistake: Error>(_ body: () throws(Mistake) -> Result) throws(Mistake) -> Result {
        peal_lock_acquire(lock)
        defer { peal_lock_release(lock) }
        return try body()
    }

    /// Releases the lock, waits for a signal, and acquires the lock again. It may return without a signal, so the
    /// caller tests its condition again. The caller must hold the lock, and the condition must be changed under the
    /// lock.
    static func wait() {
        let prepared = peal_event_count_prepare(changes)
        peal_lock_release(lock)
        _ = peal_event_count_wait(changes, prepared, .max)
        peal_lock_acquire(lock)
    }

    /// Waits until a condition is true. The condition acquires the lock that guards it, so the caller must not hold
    /// that lock.
    ///
    /// - Returns: False if the deadline passed first.
    static func wait(until deadline: UInt64 = .max, for condition: () -> Bool) -> Bool {
        changes.wait(until: deadline, for: condition)
    }

    /// Wakes all waiters, after their condition was changed.
    static func signal() {
        changes.signal()
    }
}
