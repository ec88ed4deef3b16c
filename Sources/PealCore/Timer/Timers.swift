internal import CPealSupport

/// Starts and stops timers by their ids. A timer is looked up under the agenda's lock, which keeps it meanwhile.
public enum Timers {
    public static func start(_ id: UInt64) throws(Failure) {
        try start(id) { _ in }
    }

    public static func restart(_ id: UInt64, _ schedule: Timer.Schedule) throws(Failure) {
        try schedule.check()
        try start(id) { timer in
            timer.schedule = peal_timer_schedule(period: schedule.period, delay: schedule.delay)
        }
    }

    /// No call of the timer starts afterwards.
    public static func stop(_ id: UInt64) throws(Failure) {
        try change(id, toRun: false) { agenda, timer in agenda.stop(timer) }
    }

    @inline(__always)
    private static func start(_ id: UInt64, _ prepare: (TimerRecord) -> Void) throws(Failure) {
        try Executor.start()
        // The record notes the thread's locks. Without one, each lock takes three more atomic operations.
        _ = peal_thread_current()
        let now = Int64(peal_ticks_clock())
        try change(id, toRun: true) { agenda, timer in
            prepare(timer)
            agenda.start(timer, now: now)
        }
    }

    private enum Outcome { case done, ended, left }

    /// Runs `body` under the agenda's lock.
    ///
    /// - Parameter toRun: True if the timer must be able to run afterwards.
    @inline(__always)
    static func change(
        _ id: UInt64, toRun: Bool, _ body: (inout TimerAgenda, TimerRecord) -> Void
    ) throws(Failure) {
        let outcome = TimerAgenda.withLock { agenda -> Outcome in
            // The thread that ends the timer marks the gate first, and stops the timer under the lock afterwards.
            guard let timer = Handles.timers.locked(id), !ObserverGate.isEnding(timer.observer.gate) else {
                return .ended
            }
            guard !toRun || peal_timer_mailbox(timer.observer)?.pointee.is_left != true else { return .left }
            body(&agenda, timer)
            return .done
        }
        switch outcome {
        case .done: return
        case .ended: throw .staleTimer
        case .left: throw .leftTimer
        }
    }
}

extension Failure {
    fileprivate static let leftTimer = Failure(
        .state,
        "the timer's queue was created before the fork, and its threads are in the parent process; create both in this process"
    )
}
