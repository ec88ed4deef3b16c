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

    private var first: TimerRecord? { heap.first.map { peal_timer_of_node($0) } }

    private mutating func list(_ timer: TimerRecord) {
        timer.node.pointee.key = timer.latestDue
        peal_heap_insert(&heap, timer.node)
    }

    /// The executor must have been started.
    ///
    /// - Parameter now: Read before the lock was acquired, so that other threads do not wait for the clock.
    mutating func start(_ timer: TimerRecord, now: Int64) {
        let wait = timer.pointee.delay > 0 ? timer.pointee.delay : timer.pointee.period
        timer.pointee.due = now.addingClamped(wait)
        timer.pointee.is_running = true
        // A firing that waits on the queue calls nothing.
        timer.pointee.is_requested = false
        if timer.isListed {
            // A timer that is restarted repeatedly, such as a watchdog, keeps its position.
            if timer.node.pointee.key <= timer.latestDue { return }
            peal_heap_remove(&heap, timer.node)
        }
        list(timer)
        setAlarm()
    }

    mutating func stop(_ timer: TimerRecord) {
        if timer.isListed { peal_heap_remove(&heap, timer.node) }
        timer.pointee.is_running = false
        // A task that is on the queue already cannot be removed, but will call no function.
        timer.pointee.is_requested = false
    }

    /// Requests one call of a timer that was due at the time `due`.
    ///
    /// - Returns: True if the caller must enqueue the timer's task.
    mutating func requestCall(_ timer: TimerRecord, due: Int64) -> Bool {
        guard !timer.pointee.is_requested else {
            timer.pointee.missed += 1
            return false
        }
        timer.pointee.is_requested = true
        timer.pointee.enqueued_due = due
        guard !timer.pointee.is_enqueued else { return false }
        timer.pointee.is_enqueued = true
        // A reference of the task: the timer does not end before it.
        peal_observer_retain(peal_timer_observer(timer))
        return true
    }

    private static func wake() {
        // A thread that starts a timer may set the alarm before this thread acquires the lock. The alarm then wakes a
        // second thread. The first of the two sets the alarm again when it has pushed all due tasks.
        guard let due = withLock({ $0.beginWaking() }) else { return }
        var next = due.first
        while let timer = next {
            next = peal_timer_next_due(timer)
            timer.put()
        }
        withLock { agenda in
            agenda.isWaking = false
            agenda.setAlarm()
        }
    }

    /// A chain of timers whose tasks must be enqueued. Unchecked: the thread that removed the chain owns it.
    private struct Due: @unchecked Sendable {
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
        while let timer = first {
            let isRestarted = timer.node.pointee.key < timer.latestDue
            guard isRestarted || timer.pointee.due <= now else { break }
            peal_heap_remove(&heap, timer.node)
            if isRestarted {
                // Others may be due before it, even if it is due now.
                list(timer)
                continue
            }
            let mustEnqueue = requestCall(timer, due: timer.pointee.due)
            if timer.pointee.repeats {
                timer.advanceDue(now)
                list(timer)
            }
            guard mustEnqueue else { continue }
            peal_timer_set_next_due(timer, nil)
            if let last { peal_timer_set_next_due(last, timer) } else { firstDue = timer }
            last = timer
        }
        return Due(first: firstDue)
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

    fileprivate var node: UnsafeMutablePointer<peal_heap_node> { peal_timer_node(self) }

    /// The time by which it must have fired.
    fileprivate var latestDue: Int64 { pointee.due.addingClamped(pointee.tolerance) }

    /// Moves the due time to the next whole period in the future. The periods between count as missed.
    fileprivate func advanceDue(_ now: Int64) {
        let period = pointee.period
        pointee.due = pointee.due.addingClamped(period)
        guard pointee.due <= now else { return }
        let periods = (now - pointee.due) / period + 1
        pointee.missed += UInt64(periods)
        pointee.due = pointee.due.addingClamped(periods * period)
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
