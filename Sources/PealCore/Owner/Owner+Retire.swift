internal import CPealSupport
import PealCall

extension Owner {
    /// Ends all that belongs to an owner, and waits until none of its code runs. Until that is so it may be
    /// called again; then it only waits.
    ///
    /// - Parameter timeout: In milliseconds; the largest number never passes.
    /// - Returns: False when its code may still run: this is one of its own calls, or the time has passed.
    public static func retire(_ number: UInt64, timeout: UInt32) throws(Failure) -> Bool {
        let deadline = peal_clock_deadline(timeout)
        if let owner = Handles.owners.retire(number) { owner.end(deadline: deadline) }
        guard let owner = Handles.owners.findEvenRetired(number) else { throw .staleOwner }
        guard owner.waitUntilQuiet(deadline: deadline) else { return false }
        Handles.owners.recycle(number)
        return true
    }

    private func end(deadline: UInt64) {
        let remains = beginRetiring()
        // First: what stops may use what else belongs to the owner.
        retireModules(remains.modules, deadline: deadline)
        Service.end(remains.services)
        for observation in remains.observations where observation.close() { observation.unlist() }
        for ending in remains.endings {
            for record in ending.keepers.compactMap(\.ownRecord) {
                ObserverGate.endDraining(record.gate)
                record.pointee.mailbox?.dropDead()
            }
            extendLifetime(ending)
        }
        for timer in remains.timers { timer.close() }
        for queue in remains.queues { try? queue.end() }
        for property in remains.properties { property.center.giveUp(property, of: number) }
        for proxy in remains.proxies { _ = try? Proxy.end(proxy.number) }
        for proto in remains.protocols { proto.center.giveUp(proto, of: number) }
        for completion in remains.completions { completion.finish() }
        endRetiring(remains.types.compactMap { try? $0.center.unmanageType($0.name) })
    }

    /// Waits until nothing of what has ended is called any more.
    ///
    /// - Returns: False when a call is this thread's, the time has passed, or the wait was part of a circle.
    private func waitUntilQuiet(deadline: UInt64) -> Bool {
        let isOwnCall = read(OwnerRemains.init).isCalledHere
        if settle(deadline: 0) { return !isOwnCall }
        guard !isOwnCall else { return false }
        return WaitGraph.polling(for: .retirement(of: self), deadline: deadline) { settle(deadline: $0) }
    }

    /// Runs the destroy callbacks that other calls hold up, once none of what has ended is called any more.
    ///
    /// - Returns: False when the time has passed first.
    private func settle(deadline: UInt64) -> Bool {
        guard Self.wait(deadline, while: { self.read { $0.ender != 0 } }) else { return false }
        let remains = read(OwnerRemains.init)
        let keepers = remains.keepers
        defer { extendLifetime(keepers) }
        let records = keepers.compactMap(\.ownRecord)
        let isIdle = RunningCalls.wait(for: records, deadline: deadline)
        Completion.dropTokens(of: number)
        guard isIdle, remains.queues.allSatisfy({ $0.mailbox.waitUntilFinished(deadline: deadline) }) else { return false }
        // Lists that other calls hold may name its observers still, but nobody calls them: so their
        // destroy callbacks need not wait for those calls, nor for their queues.
        for record in records { ObserverLife.destroy(record) }
        guard RunningCalls.wait(for: records, deadline: deadline) else { return false }
        for record in records { peal_observer_set_quiet(record) }
        return CreationMonitor.wait(until: deadline) { self.read(\.services.isEmpty) }
            && Self.wait(deadline) {
                Mailbox.dropAllDead()
                return !self.read(\.isQuiet)
            }
    }

    private func retireModules(_ modules: [Module], deadline: UInt64) {
        for modules in Dictionary(grouping: modules, by: \.mediator.center.number).values {
            modules.first?.mediator.retire(modules, of: name, deadline: deadline)
        }
    }

    private static func wait(_ deadline: UInt64, while isBusy: () -> Bool) -> Bool {
        while isBusy() {
            guard peal_clock_now() < deadline else { return false }
            peal_clock_pause(RunningCalls.longestPause)
        }
        return true
    }
}

extension Owner.Members {
    /// Besides records, queues and services.
    fileprivate var isQuiet: Bool {
        modules.isEmpty && completions.isEmpty && hooks.allSatisfy { $0.outstanding == 0 }
    }
}

extension Mailbox {
    /// Waits until no function of an ended queue's host is called any more.
    fileprivate func waitUntilFinished(deadline: UInt64) -> Bool {
        guard !isInUseHere else { return false }
        return locked {
            while !pointee.is_finished {
                guard peal_mailbox_wait(self, deadline) else { return pointee.is_finished }
            }
            return true
        }
    }
}
