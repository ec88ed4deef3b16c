internal import CPealSupport
import PealCall

/// Which timer is due when: one agenda for all timers of the process, with one alarm of libdispatch.
struct TimerAgenda: @unchecked Sendable {
    // Unchecked: the records in it are guarded by the lock of the one agenda there is.
    private var heap = TimerHeap()
    private var alarm: OpaquePointer?
    /// When the alarm is set to wake.
    private var wakes = Int64.max

    private static let shared = Guarded(TimerAgenda())

    /// Everything about a timer that changes is read and changed in here. No user code may run in it.
    static func withLock<Value: Sendable>(_ body: (inout TimerAgenda) -> Value) -> Value {
        shared.withLock { body(&$0) }
    }

    static var now: Int64 { Int64(peal_clock_now()) }

    // The rest wants the lock.

    /// - Returns: False when memory is short.
    mutating func start(_ timer: TimerRecord) -> Bool {
        if alarm == nil { alarm = peal_alarm_make { _ in TimerAgenda.wake() } }
        guard alarm != nil else { return false }
        stop(timer)
        let wait = timer.pointee.delay > 0 ? timer.pointee.delay : timer.pointee.period
        timer.pointee.due = Self.now.addingClamped(wait)
        timer.pointee.is_running = true
        heap.insert(timer)
        setAlarm()
        return true
    }

    mutating func stop(_ timer: TimerRecord) {
        if timer.pointee.is_listed { heap.remove(timer) }
        timer.pointee.is_running = false
        // What is on the queue already cannot be taken back, but will call nobody.
        timer.pointee.is_wanted = false
    }

    /// Wants one call of the timer, which was due then.
    ///
    /// - Returns: Whether its task has to be put on the queue.
    mutating func want(_ timer: TimerRecord, due: Int64) -> Bool {
        guard !timer.pointee.is_wanted else {
            timer.pointee.missed += 1
            return false
        }
        timer.pointee.is_wanted = true
        timer.pointee.put_due = due
        guard !timer.pointee.is_put else { return false }
        timer.pointee.is_put = true
        // Of the task: the timer does not end before it.
        peal_observer_retain(peal_timer_observer(timer))
        return true
    }

    private static func wake() {
        var next = withLock { $0.takeDue() }.first
        while let timer = next {
            next = timer.pointee.next_due
            timer.put()
        }
    }

    /// Timers whose tasks are to be put on their queues: a chain. Unchecked: it belongs to whoever took it.
    private struct Due: @unchecked Sendable {
        var first: TimerRecord?
    }

    private mutating func takeDue() -> Due {
        wakes = .max
        let now = Self.now
        var first: TimerRecord?
        var last: TimerRecord?
        while let timer = heap.first, timer.pointee.due <= now {
            heap.remove(timer)
            let isToBePut = want(timer, due: timer.pointee.due)
            if timer.pointee.repeats {
                timer.moveOn(now)
                heap.insert(timer)
            }
            guard isToBePut else { continue }
            timer.pointee.next_due = nil
            if let last { last.pointee.next_due = timer } else { first = timer }
            last = timer
        }
        setAlarm()
        return Due(first: first)
    }

    /// An alarm that is set too early wakes for nothing once, and is set anew then: cheaper than to set it
    /// with each timer that stops.
    private mutating func setAlarm() {
        guard let alarm, let last = heap.first?.lastMoment, last < wakes else { return }
        wakes = last
        peal_alarm_set(alarm, last)
    }
}

extension TimerRecord {
    /// To the next whole period that lies ahead. What lay between is missed.
    fileprivate func moveOn(_ now: Int64) {
        let period = pointee.period
        pointee.due = pointee.due.addingClamped(period)
        guard pointee.due <= now else { return }
        let behind = (now - pointee.due) / period + 1
        pointee.missed += UInt64(behind)
        pointee.due = pointee.due.addingClamped(behind * period)
    }
}
