public import CPealSupport

/// What threads wait on until a condition is true, see event_count.h. It lies in raw memory, where they can sleep on its
/// word.
public typealias EventCount = UnsafeMutablePointer<peal_event_count>

extension EventCount {
    public static func make() -> EventCount {
        let eventCount = EventCount.allocate(capacity: 1)
        eventCount.initialize(to: peal_event_count())
        return eventCount
    }

    /// Wakes all waiters, after their condition was changed.
    public func signal() {
        peal_event_count_signal(self)
    }

    /// Waits until a condition is true. The condition acquires the lock that guards it. The caller must hold none.
    ///
    /// - Parameter deadline: As of peal_clock_deadline.
    /// - Returns: False if the deadline passed first.
    public func wait(until deadline: UInt64, for condition: () -> Bool) -> Bool {
        while !condition() {
            let prepared = peal_event_count_prepare(self)
            if condition() { return true }
            guard peal_event_count_wait(self, prepared, deadline) else { return condition() }
        }
        return true
    }
}
