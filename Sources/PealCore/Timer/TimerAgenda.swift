internal import CPealSupport
import PealCall

/// The due times of all timers: one agenda for the process, with one alarm of the executor.
struct TimerAgenda: @unchecked Sendable {
    // Unchecked: the lock of the only agenda guards the records in it.
    private var heap = peal_heap()
    private let alarm: UnsafeMutablePointer<peal_timed_work>
    private var generation = peal_fork_generation()
    /// True while a thread pushes the tasks of due timers. No other thread does so at the same time, which keeps their
    /// order.
    private var isWaking = false
    /// The time for which the alarm is set, until it wakes a thread. A timer that is due later need not set it.
    private var alarmTime = Int64.max

    private static let shared = Guarded(TimerAgenda())

    /// Runs `body` with the agenda, under the agenda's lock. The changing state of timers is read and written in such
    /// a body. No user code may run in it.
    static func withLock<Value: Sendable>(_ body: (inout TimerAgenda) -> Value) -> Value {
        shared.withLock { agenda in
            if agenda.generation != peal_fork_generation() { agenda.clear() }
            return body(&agenda)
        }
    }

    private init() {
        alarm = .allocate(capacity: 1)
        alarm.initialize(to: peal_timed_work())
    }

    static var now: Int64 { Int64(peal_clock_now()) }

    // The caller of the functions below must hold the lock.

    /// Empties the agenda of the child of a fork. Its timers run in the parent.
    private mutating func clear() {
        while let timer = first { stop(timer) }
        isWaking = false
        alarmTime = .max
        generation = peal_fork_generation()
    }

    private var first: TimerRecord? { heap.first.map { TimerRecord(peal_timer_of_node($0)) } }

    private mutating func list(_ timer: TimerRecord, due: Int64) {
        peal_timer_set_due(timer.observer, due)
        peal_heap_insert(&heap, timer.node)
    }

    /// The executor must have been started.
    ///
    /// - Parameter now: Read before the lock was acquired, so that other threads do not wait for the clock.
    mutating func start(_ timer: TimerRecord, now: Int64) {
        let schedule = timer.schedule
        let due = now.addingClamped(schedule.delay > 0 ? schedule.delay : schedule.period)
        timer.set(PEAL_TIMER_RUNNING, true)
        // A firing that waits on the queue calls nothing.
        timer.set(PEAL_TIMER_REQUESTED, false)
        if timer.isListed {
            // A timer that is restarted repeatedly, such as a watchdog, keeps its position.
            if peal_timer_postpone(timer.observer, due) { return }
            peal_heap_remove(&heap, timer.node)
        }
        list(timer, due: due)
        setAlarm()
    }

    mutating func stop(_ timer: TimerRecord) {
        if timer.isListed { peal_heap_remove(&heap, timer.node) }
        timer.set(PEAL_TIMER_RUNNING, false)
        // A task that is on the queue already cannot be removed, but will call no function.
        timer.set(PEAL_TIMER_REQUESTED, false)
    }

    /// Requests one call of a timer that was due at the time `due`.
    ///
    /// - Returns: True if the caller must enqueue the timer's task.
    mutating func requestCall(_ timer: TimerRecord, due: Int64) -> Bool {
        guard !timer.has(PEAL_TIMER_REQUESTED) else {
            timer.state.pointee.missed += 1
            return false
        }
        timer.set(PEAL_TIMER_REQUESTED, true)
        timer.state.pointee.enqueued_due = due
        guard !timer.has(PEAL_TIMER_ENQUEUED) else { return false }
        timer.set(PEAL_TIMER_ENQUEUED, true)
        // A reference of the task: the timer does not end before it.
        peal_observer_retain(timer.observer)
        return true
    }

    private static func wake() {
        // A thread that starts a timer may set the alarm before this thread acquires the lock. The alarm then wakes a
        // second thread. The first of the two sets the alarm again when it has pushed all due tasks.
        guard let due = withLock({ $0.beginWaking() }) else { return }
        var next = due.first
        while let timer = next {
            next = timer.nextDue
            timer.put()
        }
        withLock { agenda in
            agenda.isWaking = false
            agenda.setAlarm()
        }
    }

    /// A chain of timers whose tasks must be enqueued. The thread that removed the chain owns it.
    private struct Due: Sendable {
        var first: TimerRecord?
    }

    private mutating func beginWaking() -> Due? {
        alarmTime = .max
        return isWaking ? nil : takeDue()
    }

    private mutating func takeDue() -> Due {
        isWaking = true
        let now = Self.now
        var firstDue: TimerRecord?
        var last: TimerRecord?
        while let timer = firstInOrder() {
            let due = peal_timer_due(timer.observer)
            guard due <= now else { break }
            peal_heap_remove(&heap, timer.node)
            let mustEnqueue = requestCall(timer, due: due)
            // No time follows the latest due time, at which a timer that is listed again would fire without end.
            let next = timer.has(PEAL_TIMER_REPEATS) ? timer.nextDue(after: due, now: now) : now
            if next > now { list(timer, due: next) }
            guard mustEnqueue else { continue }
            peal_timer_set_next_due(timer.observer, nil)
            if let last { peal_timer_set_next_due(last.observer, timer.observer) } else { firstDue = timer }
            last = timer
        }
        return Due(first: firstDue)
    }

    /// The timer that is due first. A restarted timer that is found before it gets its new position: others may be due
    /// earlier.
    private mutating func firstInOrder() -> TimerRecord? {
        while let timer = first, peal_timer_postponed(timer.observer) > 0 {
            let due = peal_timer_due(timer.observer)
            peal_heap_remove(&heap, timer.node)
            list(timer, due: due)
        }
        return first
    }

    /// Sets the alarm later if the timer that it was set for was stopped or restarted.
    mutating func correctAlarm() {
        guard !isWaking, alarmTime < firstInOrder()?.node.pointee.key ?? .max else { return }
        peal_executor_cancel(alarm)
        alarmTime = .max
        setAlarm()
    }

    /// An alarm that is set too early wakes a thread once without a due timer, and is then set again. That is cheaper
    /// than setting it for each timer that stops.
    private mutating func setAlarm() {
        guard !isWaking, let first = heap.first, first.pointee.key < alarmTime else { return }
        alarmTime = first.pointee.key
        peal_executor_run_at(alarm, first.pointee.key, { _ in TimerAgenda.wake() }, nil)
    }
}

extension TimerRecord {
    /// True if it is on the agenda.
    var isListed: Bool { peal_heap_is_listed(node) }

    fileprivate var node: UnsafeMutablePointer<peal_heap_node> { peal_timer_node(observer) }

    /// The next timer of a chain whose tasks must be enqueued.
    fileprivate var nextDue: TimerRecord? { peal_timer_next_due(observer).map { TimerRecord($0) } }

    /// The next whole period in the future. The periods between count as missed.
    fileprivate func nextDue(after last: Int64, now: Int64) -> Int64 {
        let period = schedule.period
        let due = last.addingClamped(period)
        guard due <= now else { return due }
        let periods = (now - due) / period + 1
        state.pointee.missed += UInt64(periods)
        return due.addingClamped(periods * period)
    }
}

extension Int64 {
    /// The sum of a time and a duration, at most the latest due time.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? TimerRecord.latestDue : Swift.min(sum, TimerRecord.latestDue)
    }
}
