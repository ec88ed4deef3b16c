internal import CPealSupport

/// Starts and stops timers by their ids. The pin of the lookup keeps a timer meanwhile.
public enum Timers {
    public static func start(_ id: UInt64) throws(Failure) {
        try withRecord(of: id) { (record) throws(Failure) in try start(record) {} }
    }

    public static func restart(_ id: UInt64, _ schedule: Timer.Schedule) throws(Failure) {
        try withRecord(of: id) { (record) throws(Failure) in
            try schedule.check()
            try start(record) {
                record.schedule = peal_timer_schedule(period: schedule.period, delay: schedule.delay)
            }
        }
    }

    /// No call of the timer starts afterwards.
    public static func stop(_ id: UInt64) throws(Failure) {
        try withRecord(of: id) { (record) throws(Failure) in try stop(record) }
    }

    static func stop(_ record: TimerRecord) throws(Failure) {
        try change(record) { agenda in agenda.stop(record) }
    }

    /// - Parameter isTimed: True if the timer needs the executor even if its queue does not.
    @inline(__always)
    static func prepareToRun(_ record: TimerRecord, isTimed: Bool = true) throws(Failure) {
        let mailbox = peal_timer_mailbox(record.observer)
        guard mailbox?.pointee.is_left != true else {
            throw Failure(
                .state,
                "the timer's queue was created before the fork, and its threads are in the parent process; create both in this process"
            )
        }
        if isTimed || mailbox.map({ peal_mailbox_kind_of($0) }) == PEAL_MAILBOX_SERIAL { try Executor.start() }
    }

    /// Runs `body` under the agenda's lock, unless the timer has ended. The caller must retain or pin the timer.
    static func change(_ record: TimerRecord, _ body: (inout TimerAgenda) -> Void) throws(Failure) {
        let isEnded = TimerAgenda.withLock { agenda in
            // The thread that ends the timer marks the gate first, and stops the timer under the lock afterwards.
            let isEnded = ObserverGate.isEnding(record.observer.gate)
            if !isEnded { body(&agenda) }
            return isEnded
        }
        if isEnded { throw .staleTimer }
    }

    @inline(__always)
    private static func start(_ record: TimerRecord, _ prepare: () -> Void) throws(Failure) {
        try prepareToRun(record)
        let now = TimerAgenda.now
        try change(record) { agenda in
            prepare()
            agenda.start(record, now: now)
        }
    }

    @inline(__always)
    private static func withRecord(
        of id: UInt64, _ body: (TimerRecord) throws(Failure) -> Void
    ) throws(Failure) {
        let isDone: Void? = try Handles.timers.withPinned(id, body)
        guard isDone != nil else { throw .staleTimer }
    }
}
