internal import CPealSupport

/// The record of a timer: an observer's, with other contents in some members, and after it the timer's state. See
/// timer.h.
struct TimerRecord: @unchecked Sendable {
    // Unchecked: the lock of the agenda guards what changes.
    let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
    }

    var state: UnsafeMutablePointer<peal_timer_state> { peal_timer_state_of(observer) }

    var schedule: peal_timer_schedule {
        get { state.pointee.schedule }
        nonmutating set { state.pointee.schedule = newValue }
    }

    /// Never changes.
    var action: peal_timer_action { peal_timer_action_of(observer).pointee }

    func has(_ mark: peal_timer_marks) -> Bool { peal_timer_has(observer, mark) }

    /// The caller must hold the agenda's lock.
    func set(_ mark: peal_timer_marks, _ isSet: Bool) { peal_timer_mark(observer, mark, isSet) }

    /// Frees the memory of a timer that has ended.
    func free() {
        observer.releaseOwner()
        peal_memory_free(observer)
    }
}

extension TimerRecord {
    /// A stopped timer, with the strong and the weak count of its life.
    static func make(_ options: Timer.Options) throws(Failure) -> TimerRecord {
        guard let mailbox = options.queue?.mailbox ?? peal_mailbox_make(PEAL_MAILBOX_SERIAL) else { throw .outOfMemory }
        let extras = UInt8(options.weak != nil || options.owner != nil ? PEAL_EXTRAS_COMMON : PEAL_EXTRAS_QUEUE)
        guard let memory = peal_memory_allocate(peal_timer_size(extras, options.tolerance > 0)) else {
            if options.queue == nil { peal_mailbox_release(mailbox) }
            throw .outOfMemory
        }
        // The record takes over the count of a new mailbox, and adds a count to that of a queue.
        if options.queue != nil { peal_mailbox_retain(mailbox) }
        let observer = memory.assumingMemoryBound(to: ObserverRecord.self)
        observer.begin(
            extras: extras, target: options.target, destroy: options.destroy, owner: options.owner, weak: options.weak)
        observer.delivery?.pointee.mailbox = mailbox
        observer.keep(nil, options.owner)
        observer.pointee.marks =
            UInt8(PEAL_OBSERVER_TIMER.rawValue) | (options.repeats ? UInt8(PEAL_TIMER_REPEATS.rawValue) : 0)
        peal_timer_set_tolerance(observer, min(options.tolerance, greatestTolerance))
        peal_timer_task(observer).pointee.run = { TimerRecord.run($0) }
        let record = TimerRecord(observer)
        record.schedule = peal_timer_schedule(period: options.schedule.period, delay: options.schedule.delay)
        switch options.action {
        case .call(let fire): peal_timer_action_of(observer).pointee.fire = fire
        case .broadcast(let method):
            record.set(PEAL_TIMER_BROADCASTS, true)
            peal_timer_action_of(observer).pointee.method = method.id
        }
        return record
    }

    /// The greatest tolerance, 73 years, and the latest due time, 146 years after the start of the clock. Their sum is a
    /// time too.
    private static var greatestTolerance: Int64 { 1 << 61 }
    static var latestDue: Int64 { 1 << 62 }

    /// The queue on which it fires; nil: a queue of its own, or one whose functions are not called any more.
    var queue: Queue? {
        peal_timer_mailbox(observer).flatMap { Handles.queues.findEvenRetired($0.pointee.id) }
    }

    /// Enqueues the task of a wanted call.
    func put() {
        peal_timer_mailbox(observer)?.push(peal_timer_task(observer))
    }

    /// Runs a task on its queue, or on the thread that releases it if the queue has ended or its executor refuses.
    private static func run(_ task: UnsafeMutablePointer<peal_task>) {
        let observer = peal_timer_of_task(task)
        let timer = TimerRecord(observer)
        if peal_timer_mailbox(observer)?.isCurrent == true, let hazard = peal_hazard_occupy() {
            // A look at the running calls tells timers from services and modules by it: see running.h.
            hazard.pointee.method = observer.pointee.id
            // The current call is stored before the test: a thread that stops the timer and then waits sees an admitted
            // call.
            peal_current_set(peal_hazard_current(hazard), observer.gate)
            if timer.testAndClearRequest(), timer.isAdmitted(hazard) {
                timer.call()
                WeakHold.release(hazard)
            }
            Broadcast.release(hazard)
        } else {
            timer.miss()
        }
        ObserverLife.release(observer)
    }

    /// Returns true if no thread has stopped the timer while its task waited. The next firing may enqueue the task.
    private func testAndClearRequest() -> Bool {
        TimerAgenda.withLock { _ in
            let isRequested = has(PEAL_TIMER_REQUESTED)
            set(PEAL_TIMER_ENQUEUED, false)
            set(PEAL_TIMER_REQUESTED, false)
            if isRequested, !isListed { set(PEAL_TIMER_RUNNING, false) }
            return isRequested
        }
    }

    private func miss() {
        TimerAgenda.withLock { _ in
            if has(PEAL_TIMER_REQUESTED) { state.pointee.missed += 1 }
            set(PEAL_TIMER_ENQUEUED, false)
            set(PEAL_TIMER_REQUESTED, false)
            if !isListed { set(PEAL_TIMER_RUNNING, false) }
        }
    }

    /// Returns true if the call may run. A weak target is then retained. A dead target ends the timer.
    private func isAdmitted(_ hazard: Broadcast.Hazard) -> Bool {
        guard !peal_gate_is_open(observer.gate) else { return true }
        var entry = SnapshotEntry(
            function: {}, target: observer.pointee.target, gate: observer.gate)
        guard ObserverGate.admit(&entry, hazard) == nil else { return true }
        Handles.timers.find(observer.pointee.id)?.close()
        return false
    }

    private func call() {
        let now = TimerAgenda.now
        let delay = TimerAgenda.withLock { _ in
            let delay = now - state.pointee.enqueued_due
            state.pointee.fired += 1
            state.pointee.latest = max(state.pointee.latest, delay)
            return delay
        }
        let event = UInt32(PEAL_TAP_TIMER_FIRED.rawValue)
        peal_tap_note(event, observer.pointee.id, UInt64(max(0, delay)), 0)
        if !has(PEAL_TIMER_BROADCASTS) {
            action.fire?(observer.pointee.target)
            peal_order_end()
            return
        }
        let outcome = Broadcast.send(
            action.method, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: nil)
        // The method has ended with its center or its protocol.
        if outcome == .unknownMethod { Handles.timers.find(observer.pointee.id)?.close() }
    }
}
