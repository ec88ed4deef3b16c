internal import CPealSupport
import PealCall

/// Calls at a due time, on a queue. An object of this class is made for callers that read or store a timer. It retains
/// the memory of the record.
///
/// The timer's record is an observer's with further members. So the rules of an observer's weak target, running calls
/// and destroy callback apply to a timer too.
public final class Timer: Sendable {
    let record: TimerRecord

    init(_ record: TimerRecord) {
        self.record = record
        peal_observer_retain_memory(observer)
    }

    deinit {
        ObserverLife.releaseMemory(observer)
    }

    var observer: UnsafeMutablePointer<ObserverRecord> { record.observer }
    public var id: UInt64 { observer.pointee.id }
    var owner: Owner? { observer.owner }

    /// Makes a stopped timer. If this fails, the caller must run the destroy callback.
    public static func make(_ options: Options) throws(Failure) -> Timer {
        try options.check()
        let record = try TimerRecord.make(options)
        let timer = Timer(record)
        // Another thread may end the timer as soon as it has a handle. The timer then ends after it was added to its owner,
        // which has it until the destroy callback has returned.
        peal_observer_retain(timer.observer)
        // The life of the timer has the first weak count.
        do throws(Failure) {
            try Handles.timers.open(record)
        } catch {
            ObserverLife.releaseMemory(record.observer)
            throw error
        }
        defer { ObserverLife.release(timer.observer) }
        do throws(Failure) {
            try options.queue?.addMember(timer)
            try options.owner?.add(timer)
        } catch {
            // The end of the queue, or a destruction, may have ended the timer on another thread, which runs the callback.
            // Then the timer was made.
            guard ObserverGate.remove(timer.observer.gate) else {
                options.queue?.removeMember(timer)
                return timer
            }
            // The caller runs the callback.
            timer.observer.pointee.destroy = nil
            timer.finishClosing()
            throw error
        }
        // A thread that closed the timer before it was added to the queue has not removed it there.
        if ObserverGate.isEnding(timer.observer.gate) { options.queue?.removeMember(timer) }
        return timer
    }

    /// Stops a timer and waits for its running calls. For a timer that has ended already, the function waits too, and
    /// then fails.
    ///
    /// - Returns: False if a call may still run: the calling thread is inside it, or the time limit has expired.
    public static func stop(_ id: UInt64, timeout: UInt32) throws(Failure) -> Bool {
        guard let timer = Handles.timers.findEvenRetired(id) else { throw .staleTimer }
        defer { extendLifetime(timer) }
        let deadline = peal_clock_deadline(timeout)
        // Ordered: each call tests `is_requested` under the agenda's lock, under which the stop has cleared it.
        func waitForCalls() -> Bool { RunningCalls.wait(for: [timer.observer], deadline: deadline, isOrdered: true) }
        do throws(Failure) {
            try Timers.stop(id)
        } catch {
            guard waitForCalls() else { return false }
            throw error
        }
        return waitForCalls()
    }

    /// Requests one call now.
    public func fire() throws(Failure) {
        if peal_timer_mailbox(observer).map({ peal_mailbox_kind_of($0) }) == PEAL_MAILBOX_SERIAL {
            try Executor.start()
        }
        let now = TimerAgenda.now
        var mustEnqueue = false
        try Timers.change(id, toRun: true) { agenda, timer in mustEnqueue = agenda.requestCall(timer, due: now) }
        if mustEnqueue { record.put() }
        extendLifetime(self)
    }

    /// Ends the timer.
    public func end() throws(Failure) {
        guard close() else { throw .staleTimer }
    }

    /// Ends the timer. The program, its owner, its queue and a firing that finds the target dead may each call this.
    /// Exactly one caller succeeds.
    @discardableResult
    func close() -> Bool {
        guard ObserverGate.remove(observer.gate) else { return false }
        finishClosing()
        return true
    }

    private func finishClosing() {
        Handles.timers.retire(id)
        let record = record
        TimerAgenda.withLock { agenda in agenda.stop(record) }
        record.queue?.removeMember(self)
        ObserverLife.release(observer)
    }
}

extension Failure {
    public static let staleTimer = Failure(
        .handle,
        "the timer's handle is invalid: zero, never created, or of a timer that has ended, by peal_timer_destroy or with its target, queue or owner"
    )
}
