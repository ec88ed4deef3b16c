internal import CPealSupport

/// A timer's state, which is in one allocation with its observer's record. See timer.h.
typealias TimerRecord = UnsafeMutablePointer<peal_timer_state>

extension TimerRecord {
    /// A stopped timer, with the strong and the weak count of its life.
    static func make(_ options: Timer.Options) throws(Failure) -> TimerRecord {
        guard let mailbox = options.queue?.mailbox ?? peal_mailbox_make(PEAL_MAILBOX_SERIAL) else { throw .outOfMemory }
        let extras = UInt8(options.weak != nil || options.owner != nil ? PEAL_EXTRAS_COMMON : PEAL_EXTRAS_QUEUE)
        guard let memory = peal_memory_allocate(peal_timer_size(extras)) else {
            if options.queue == nil { peal_mailbox_release(mailbox) }
            throw .outOfMemory
        }
        // The record takes over the count of a new mailbox, and adds a count to that of a queue.
        if options.queue != nil { peal_mailbox_retain(mailbox) }
        let observer = memory.assumingMemoryBound(to: ObserverRecord.self)
        observer.begin(
            extras: extras, target: options.target, destroy: options.destroy, owner: options.owner, weak: options.weak)
        observer.delivery?.pointee.mailbox = mailbox
        observer.keep(options.queue, options.owner)
        let record = peal_timer_of_observer(observer)
        record.pointee.extras_size = UInt8(peal_observer_extras_size(extras))
        peal_timer_task(record).pointee.run = { TimerRecord.run($0) }
        record.pointee.delay = options.schedule.delay
        record.pointee.period = options.schedule.period
        record.pointee.tolerance = options.tolerance
        record.pointee.repeats = options.repeats
        switch options.action {
        case .call(let fire): record.pointee.action.fire = fire
        case .broadcast(let method):
            record.pointee.broadcasts = true
            record.pointee.action.method = method.id
        }
        return record
    }

    /// Enqueues the task of a wanted call.
    func put() {
        peal_timer_mailbox(self)?.push(peal_timer_task(self))
    }

    /// Runs a task on its queue, or on the thread that releases it if the queue has ended or its executor refuses.
    private static func run(_ task: UnsafeMutablePointer<peal_task>) {
        let timer = peal_timer_of_task(task)
        let observer = peal_timer_observer(timer)
        if peal_timer_mailbox(timer)?.isCurrent == true, let hazard = peal_hazard_occupy() {
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
            let isRequested = pointee.is_requested
            pointee.is_enqueued = false
            pointee.is_requested = false
            if isRequested, !isListed { pointee.is_running = false }
            return isRequested
        }
    }

    private func miss() {
        TimerAgenda.withLock { _ in
            if pointee.is_requested { pointee.missed += 1 }
            pointee.is_enqueued = false
            pointee.is_requested = false
            if !isListed { pointee.is_running = false }
        }
    }

    /// Returns true if the call may run. A weak target is then retained. A dead target ends the timer.
    private func isAdmitted(_ hazard: Broadcast.Hazard) -> Bool {
        let observer = peal_timer_observer(self)
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
            let delay = now - pointee.enqueued_due
            pointee.fired += 1
            pointee.latest = max(pointee.latest, delay)
            return delay
        }
        let event = UInt32(PEAL_TAP_TIMER_FIRED.rawValue)
        peal_tap_note(event, peal_timer_observer(self).pointee.id, UInt64(max(0, delay)), 0)
        if !pointee.broadcasts {
            pointee.action.fire?(peal_timer_observer(self).pointee.target)
            peal_order_end()
            return
        }
        let outcome = Broadcast.send(
            pointee.action.method, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: nil)
        // The method has ended with its center or its protocol.
        if outcome == .unknownMethod { Handles.timers.find(peal_timer_observer(self).pointee.id)?.close() }
    }
}
