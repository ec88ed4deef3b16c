extension Timer {
    /// The options of a timer. Times are in nanoseconds.
    public struct Options {
        public typealias Fire = @convention(c) (UnsafeMutableRawPointer?) -> Void

        /// The action of a timer when it is due.
        public enum Action {
            case call(Fire)
            case broadcast(Method)
        }

        public var action: Action
        public var target: UnsafeMutableRawPointer?
        public var destroy: Fire?
        public var schedule: Schedule
        public var repeats = true
        public var tolerance: Int64 = 0
        /// The queue on which it fires; nil: a queue of its own.
        public var queue: Queue?
        public var owner: Owner?
        public var weak: WeakTarget?

        public init(_ action: Action, target: UnsafeMutableRawPointer?, schedule: Schedule) {
            self.action = action
            self.target = target
            self.schedule = schedule
        }

        func check() throws(Failure) {
            try schedule.check()
            guard tolerance >= 0 else {
                throw Failure(
                    .argument,
                    "a tolerance of \(tolerance) ns: a firing may come later, and never earlier; give 0 or more")
            }
            guard case .broadcast(let method) = action else { return }
            let count = method.declaration.signature.parameters.count
            guard count == 0 else {
                throw Failure(
                    .argumentCount,
                    "\(method.title) has \(count) parameters, and a timer has no arguments for them; broadcast it from the timer's function"
                )
            }
        }
    }

    /// When a timer fires, from its start on.
    public struct Schedule: Sendable {
        /// The time to the first firing; 0: one period.
        public var delay: Int64
        public var period: Int64

        public init(delay: Int64, period: Int64) {
            self.delay = delay
            self.period = period
        }

        func check() throws(Failure) {
            guard period > 0 else {
                throw Failure(
                    .argument, "a period of \(period) ns: it must be above zero, also for a timer that fires once")
            }
            guard delay >= 0 else {
                throw Failure(
                    .argument,
                    "a delay of \(delay) ns: a timer cannot fire before it was started; give 0 for one period")
            }
        }
    }
}
