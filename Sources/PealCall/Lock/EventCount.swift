public import CPealSupport

/// An event count, on which threads wait until a condition is true: see event_count.h. It is in raw memory, so that
/// threads can sleep on its word.
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

    /// Waits until a condition is true. The condition acquires the lock that guards it, or loads an atomic value, whose
    /// accesses are sequentially consistent. The caller must hold no lock.
    ///
    /// - Parameter deadline: A time that peal_clock_deadline returned.
    /// - Returns: False if the deadline passed first.
    public func wait(until deadline: UInt64, for condition: () -> Bool) -> Bool {
        defer { peal_order_see_ended() }
        return condition() || wait { (condition(), deadline) }
    }

    /// Waits until a condition is true. The deadline may change during the wait.
    ///
    /// - Parameter look: Returns the condition's value and the deadline, under the lock that guards them, if any.
    /// - Returns: False if the deadline passed first.
    public func wait(_ look: () -> (isTrue: Bool, deadline: UInt64)) -> Bool {
        defer { peal_order_see_ended() }
        while true {
            let prepared = peal_event_count_prepare(self)
            let (isTrue, deadline) = look()
            if isTrue { return true }
            guard peal_clock_now() < deadline else { return false }
            _ = peal_event_count_wait(self, prepared, deadline)
        }
    }
}
