import CPeal

extension QueueTimer {
    /// The state of a timer.
    ///
    /// The C interface's `struct peal_timer_info`.
    public struct Facts: Sendable, Hashable {
        /// It was started, and will fire.
        public var isRunning: Bool
        /// A firing waits on the queue.
        public var isWaiting: Bool
        /// Calls that have begun.
        public var fired: Int
        /// Firings that were due while another waited, or that the queue refused.
        public var missed: Int
        /// From one firing to the next.
        public var period: Duration
        /// Until it is due next; below zero where it is late; nil where it stands.
        public var remaining: Duration?
        /// The greatest delay of all firings.
        public var latest: Duration
    }

    /// The state of the timer, read atomically.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread. The C interface's `peal_timer_get_info`.
    public func facts() throws(PealError) -> Facts {
        var facts = peal_timer_info()
        facts.size = MemoryLayout<peal_timer_info>.size
        try PealError.check(peal_timer_get_info(handle, &facts))
        return Facts(
            isRunning: facts.is_running, isWaiting: facts.is_waiting, fired: Int(clamping: facts.fired),
            missed: Int(clamping: facts.missed), period: .nanoseconds(facts.period_ns),
            remaining: facts.is_running ? .nanoseconds(facts.remaining_ns) : nil,
            latest: .nanoseconds(facts.latest_ns))
    }

    /// True if the timer has not ended: by ``cancel()``, with its queue, or since its object is gone.
    ///
    /// Any thread. The C interface's `peal_timer_get_info`.
    public var isActive: Bool {
        var facts = peal_timer_info()
        facts.size = MemoryLayout<peal_timer_info>.size
        return peal_timer_get_info(handle, &facts) == PEAL_OK
    }
}
