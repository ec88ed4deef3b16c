internal import CPealSupport

extension Observation {
    /// The way in which a registration is ended.
    public struct Removal: Sendable {
        /// The waiting calls are delivered first.
        public var drains = false
        /// The time limit for its running calls to return, in milliseconds; nil: no wait.
        public var timeout: UInt32?

        public init() {}
    }

    /// Ends the registration of a handle. No call of it starts afterwards.
    ///
    /// A registration may have ended already, by its ONCE call, its queue or its center. Then a requested wait still
    /// waits for its calls, before the stale handle is reported.
    ///
    /// - Returns: True if a requested wait was completed.
    @discardableResult
    public static func remove(_ id: UInt64, _ removal: Removal = Removal()) throws(Failure) -> Bool {
        guard removal.drains || removal.timeout != nil else {
            guard Removal.end(id) else { throw .staleObservation }
            return true
        }
        guard let observation = Handles.observations.findEvenRetired(id) else { throw .staleObservation }
        return try remove(observation, removal)
    }

    private static func remove(_ observation: Observation, _ removal: Removal) throws(Failure) -> Bool {
        let deadline = peal_clock_deadline(removal.timeout ?? 0)
        let isWaitedFor = removal.timeout != nil
        func reportEnd() throws(Failure) -> Bool {
            if isWaitedFor, !observation.waitForCalls(deadline: deadline) { return false }
            throw .staleObservation
        }
        if removal.drains, let mailbox = observation.queue?.mailbox {
            guard observation.drain(mailbox) else { return try reportEnd() }
            guard isWaitedFor else { return true }
            return mailbox.flush(deadline: deadline) == .done && observation.waitForCalls(deadline: deadline)
        }
        guard observation.close() else { return try reportEnd() }
        // If the end of an observer does more than free memory, it passes the writer fence after the gate was closed.
        let isOrdered = observation.record.isWaitedFor && observation.lazy == nil
        observation.unlist()
        return isWaitedFor ? observation.waitForCalls(deadline: deadline, isOrdered: isOrdered) : true
    }

    /// Ends the registration when the currently waiting calls have been delivered.
    ///
    /// - Returns: False if the registration has ended already.
    private func drain(_ mailbox: Mailbox) -> Bool {
        guard let lazy else {
            guard ObserverGate.drain(gate) else { return false }
            Handles.observations.retire(id)
            endAfterCalls(mailbox)
            return true
        }
        // The waiting calls are those of the instance. The instance is marked as draining before the placeholder is
        // closed, so a ONCE call that finds the placeholder closed also finds that mark.
        lazy.beginDraining()
        guard close() else { return false }
        lazy.takeInstance()?.endAfterCalls(mailbox)
        unlist()
        return true
    }

    private func endAfterCalls(_ mailbox: Mailbox) {
        record.leaveLists()
        Reclaimer.collectBacklog()
        record.leaveRegisters()
        record.delivery?.pointee.end.run = { task in
            let record = peal_observer_of_end(task)
            ObserverGate.endDraining(record.gate)
            // A queue that ends runs this while another thread may still run a call of the observer.
            Reclaimer.end([record])
        }
        mailbox.push(peal_observer_end_task(record))
    }

    /// Waits until no call of a closed observer runs any more.
    ///
    /// - Parameter isOrdered: True if this thread has passed the writer fence since the observer was closed.
    /// - Returns: False if a call runs on this thread, or the time limit has expired.
    func waitForCalls(deadline: UInt64, isOrdered: Bool = false) -> Bool {
        let called = called
        defer { extendLifetime(called) }
        let records = called.map { $0.record }
        guard RunningCalls.wait(for: records, deadline: deadline, isOrdered: isOrdered) else { return false }
        guard queue == nil else { return true }
        // Lists that other calls protect may still contain the observers, but no thread calls these.
        for record in records { ObserverLife.destroy(record) }
        // The thread that made the last call may run the destroy callback at this very time.
        return RunningCalls.wait(for: records, deadline: deadline, isOrdered: true)
    }

    /// The observers whose calls belong to the registration: the instances of a lazy observer, which end first, and the
    /// observer itself.
    var called: [Observation] { (lazy?.instances ?? []) + [self] }
}

// These are static functions of a struct, because the metadata of a class would be passed to its static functions.
extension Observation.Removal {
    /// Ends the registration of a handle, and waits for nothing.
    ///
    /// - Returns: False if the handle is stale.
    @_optimize(speed)
    public static func end(_ id: UInt64) -> Bool {
        guard let record = Handles.observations.retirePinned(id) else { return false }
        guard record.closeGate() else {
            // Another thread ends the observer.
            Handles.observations.unpin(id)
            return false
        }
        record.unlistPinned()
        return true
    }

    /// Ends the registration of an observer without extras and waits for its calls. Usually no call runs. Then the
    /// observer ends here, without an `Observation`.
    ///
    /// - Parameter timeout: The time limit in milliseconds.
    /// - Returns: True if the wait was completed; nil if the handle is stale, the observer has extras, or another thread
    ///   ends it. Then `Observation.remove` decides.
    @_optimize(speed)
    public static func endAndWait(_ id: UInt64, _ timeout: UInt32) -> Bool? {
        guard let record = Handles.observations.retirePinned(id) else { return nil }
        guard record.delivery == nil, record.closeGate() else {
            // The id is stale already, and the gate still decides which thread ends the observer.
            Handles.observations.unpin(id)
            return nil
        }
        return record.endUnlessRun() || finishAndWait(record, timeout)
    }

    /// Finishes the removal of an observer of which a call runs, and waits for that call.
    @inline(never)
    private static func finishAndWait(_ record: Observer, _ timeout: UInt32) -> Bool {
        let observation = Observation(record)
        Handles.observations.unpin(record.pointee.id)
        record.finishRemoval()
        return observation.waitForCalls(deadline: peal_clock_deadline(timeout), isOrdered: true)
    }
}
