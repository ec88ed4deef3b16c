internal import CPealSupport

extension Queue {
    /// Runs the waiting items on the calling thread.
    ///
    /// - Parameter limit: The maximum number of items; 0: the number of items that wait when the run begins.
    /// - Returns: The number of calls made.
    public func pump(limit: Int) throws(Failure) -> Int {
        switch kind {
        case .pumped: break
        case .main:
            guard peal_thread_is_main() else {
                throw Failure(.state, "the main queue can be pumped by the main thread alone")
            }
        case .serial, .executor:
            throw Failure(.state, "the queue runs by itself; only pumped queues and the main queue are pumped")
        }
        return try run(limit: limit)
    }

    /// Makes a run that `submit` has requested.
    public func runSubmitted() throws(Failure) {
        guard kind == .executor else {
            throw Failure(.state, "the queue has no executor; peal_queue_run is for queues of PEAL_QUEUE_EXECUTOR")
        }
        try checkIsOwn()
        _ = try run(limit: 0, wasScheduled: true)
    }

    private func run(limit: Int, wasScheduled: Bool = false) throws(Failure) -> Int {
        switch mailbox.run(limit: limit, wasScheduled: wasScheduled) {
        case .success(let calls): return calls
        case .failure(.notScheduled):
            throw Failure(.state, "no run was submitted; call peal_queue_run once for each call of `submit`")
        case .failure(.isRunning):
            throw Failure(.state, "the queue is being run already, by another thread or by an enclosing call")
        case .failure(.tooDeep):
            throw Failure(
                .depth,
                "broadcasts are nested \(PEAL_THREAD_DEPTH) deep on this thread; end the recursion of the call that runs its own queue"
            )
        case .failure(.outOfMemory): throw .outOfMemory
        }
    }

    public func pause() throws(Failure) {
        let isDone = mailbox.locked {
            guard mailbox.pointee.pauses < Self.maximumPauses else { return false }
            peal_mailbox_set_pauses(mailbox, mailbox.pointee.pauses + 1)
            peal_mailbox_set_descriptor(mailbox, false)
            return true
        }
        guard isDone else {
            throw Failure(.limit, "the queue is paused \(Self.maximumPauses) times; resume it as often as it is paused")
        }
    }

    public func resume() throws(Failure) {
        var isScheduled = false
        let isDone = mailbox.locked {
            guard mailbox.pointee.pauses > 0 else { return false }
            peal_mailbox_set_pauses(mailbox, mailbox.pointee.pauses - 1)
            isScheduled = mailbox.markScheduledIfNeeded()
            return true
        }
        guard isDone else { throw Failure(.state, "the queue is not paused; resume it only as often as it was paused") }
        if isScheduled { _ = mailbox.schedule() }
    }

    private static var maximumPauses: UInt32 { 100_000_000 }

    /// - Parameter timeout: In milliseconds; the largest number means no limit.
    public func flush(timeout: UInt32) throws(Failure) {
        try checkIsOwn()
        switch mailbox.flush(deadline: peal_clock_deadline(timeout)) {
        case .done: return
        case .timedOut:
            throw Failure(.timeout, "calls that waited before the flush still wait: \(delay)")
        case .wouldDeadlock:
            throw Failure(
                .wouldDeadlock, "this is one of the queue's own calls: waiting for the queue here would deadlock")
        case .isCircular:
            throw Failure(
                .wouldDeadlock,
                "waiting here would deadlock: \(runningCall?.fact ?? "the queue's call") and waits for a call that this thread is inside of; do not flush, from within a call, a queue whose calls wait for that call"
            )
        case .outOfMemory: throw .outOfMemory
        }
    }

    private var runningCall: SeenCall? {
        SeenCall.look().first { $0.queue == mailbox.pointee.id }
    }

    /// Why calls still wait, and what to change.
    private var delay: String {
        if mailbox.locked({ mailbox.pointee.pauses > 0 }) { return "the queue is paused; resume it" }
        if let runningCall { return "\(runningCall.fact), and the queue makes its calls one at a time" }
        switch kind {
        case .pumped, .main: return "pump the queue"
        case .serial: return "no thread has begun them; raise the time limit"
        case .executor: return "the executor has not run the queue"
        }
    }

    public var isCurrent: Bool { mailbox.isCurrent }

    public func descriptor() throws(Failure) -> Int32 {
        guard kind == .pumped || kind == .main else {
            throw Failure(.state, "the queue runs by itself; only pumped queues and the main queue have a descriptor")
        }
        let descriptor = mailbox.locked {
            guard peal_mailbox_make_descriptor(mailbox) else { return Int32(-1) }
            peal_mailbox_set_descriptor(mailbox, mailbox.pointee.first != nil && mailbox.pointee.pauses == 0)
            return mailbox.pointee.descriptor
        }
        guard descriptor >= 0 else {
            throw Failure(.limit, "the process has no file descriptor left for the queue")
        }
        return descriptor
    }

    public var counts: (waiting: UInt64, delivered: UInt64, dropped: UInt64, rejected: UInt64) {
        mailbox.dropAllDead()
        return mailbox.locked {
            // Each member alone, because the memory of a pumped queue's mailbox ends before the last member.
            (
                mailbox.pointee.waiting, mailbox.pointee.delivered, mailbox.pointee.dropped, mailbox.pointee.rejected
            )
        }
    }
}
