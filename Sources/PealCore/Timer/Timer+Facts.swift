internal import CPealSupport

extension Timer {
    /// The state of a timer, read atomically. Times are in nanoseconds.
    public struct Facts: Sendable {
        public let isRunning: Bool
        public let isWaiting: Bool
        public let fired: UInt64
        public let missed: UInt64
        public let period: Int64
        public let remaining: Int64
        public let latest: Int64
    }

    public var facts: Facts {
        let record = record
        defer { extendLifetime(self) }
        return TimerAgenda.withLock { _ in
            let state = record.state.pointee
            return Facts(
                isRunning: record.has(PEAL_TIMER_RUNNING), isWaiting: record.has(PEAL_TIMER_REQUESTED),
                fired: state.fired, missed: state.missed, period: record.schedule.period,
                remaining: record.isListed ? peal_timer_due(record.observer) - TimerAgenda.now : 0,
                latest: state.latest)
        }
    }
}
