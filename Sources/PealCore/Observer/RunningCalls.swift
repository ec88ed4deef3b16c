internal import CPealSupport
import PealCall

/// Waits for calls of closed observers, and for everything else that keeps code of an owner in use.
///
/// A calling thread stores the observer's gate as its current call, and then loads the gate. A waiting thread closes
/// the gate, passes the writer fence, and then loads the current calls, so it sees every call that was let through. It
/// requests the calling threads to signal by two bits. It sets a bit in the gate of the next observer, which the
/// calling thread loads in any case. It sets the other bit in the attention word of the calling thread's hazard slot,
/// which that thread loads at the end of the list. A call that no thread waits for costs nothing.
enum RunningCalls {
    typealias Record = UnsafeMutablePointer<ObserverRecord>

    /// - Parameter isOrdered: True if a lock that both sides acquired makes the writer fence needless, or if this thread
    ///   has passed it.
    /// - Returns: False if a call runs on the calling thread, or the deadline passed.
    static func wait(for records: [Record], deadline: UInt64, isOrdered: Bool = false) -> Bool {
        defer { peal_order_see_ended() }
        if haveEnded(records, isOrdered: isOrdered) { return true }
        if let own = peal_thread_own_slot(), records.contains(where: { peal_thread_runs(own, $0.gate) }) {
            return false
        }
        // A call that runs now is at least as old as the wait, if it is still found afterwards.
        SeenCall.note()
        return wait(until: deadline) { haveEnded(records, isOrdered: true) }
    }

    /// Waits until a condition is true that the end of a call can make true. The caller must hold no lock.
    ///
    /// - Returns: False if the deadline passed first, or the wait was cut.
    static func wait(until deadline: UInt64, unless isCut: () -> Bool = { false }, for condition: () -> Bool) -> Bool {
        // A wait that is cut has no time left.
        ended.wait { (condition(), isCut() ? 0 : deadline) }
    }

    /// Returns true if no call of the observers runs. Otherwise requests the threads that run one to signal.
    static func haveEnded(_ records: [Record], isOrdered: Bool = false) -> Bool {
        let own = peal_thread_own_slot()
        if let own, records.contains(where: { peal_thread_runs(own, $0.gate) }) { return false }
        if !isOrdered { peal_thread_writer_fence() }
        guard requestSignals(for: records, own) else { return true }
        // The call may have ended before the request could be seen.
        peal_thread_writer_fence()
        return !records.contains { peal_thread_others_run(own, $0.gate) }
    }

    /// - Returns: True if a call runs.
    private static func requestSignals(for records: [Record], _ own: UnsafeMutablePointer<peal_thread>?) -> Bool {
        var isRunning = false
        for record in records where Reclaimer.keeping({ peal_thread_await_runners(own, record.gate) }) {
            isRunning = true
            record.mailbox?.awaitCall(record.gate)
        }
        return isRunning
    }

    /// Wakes all waiters, after a condition was changed.
    static func signal() {
        ended.signal()
    }

    /// Signals if a thread waits for a call from the list that was released.
    static func answer(_ hazard: Broadcast.Hazard) {
        if peal_hazard_test_and_clear_awaited(hazard) { signal() }
    }

    private static var ended: EventCount { peal_calls_ended_event_count() }
}
