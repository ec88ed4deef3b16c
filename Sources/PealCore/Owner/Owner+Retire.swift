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
        let members = beginRetiring()
        // First: what stops may use what else belongs to the owner.
        retireModules(Array(members.modules.values), deadline: deadline)
        Service.end(Array(members.services.values))
        for observation in members.observations.values where observation.close() { observation.unlist() }
        for ending in members.endings.values {
            for record in ending.keepers.compactMap(\.ownRecord) {
                ObserverGate.endDraining(record.gate)
                record.pointee.mailbox?.dropDead()
            }
            extendLifetime(ending)
        }
        for timer in members.timers.values { timer.close() }
        for queue in members.queues.values { try? queue.end() }
        for property in members.properties { property.center.giveUp(property, of: number) }
        for proxy in members.proxies.keys { _ = try? Proxy.end(proxy) }
        for proto in members.protocols { proto.center.giveUp(proto, of: number) }
        for completion in members.completions.values { completion.finish() }
        endRetiring(members.types.compactMap { try? $0.center.unmanageType($0.name) })
    }

    /// Waits until nothing of what has ended is called any more, and runs the destroy callbacks that other
    /// calls hold up.
    ///
    /// - Returns: False when one is this thread's, or the time has passed.
    private func waitUntilQuiet(deadline: UInt64) -> Bool {
        let isOwnCall = current.isCalledHere
        let deadline = isOwnCall ? 0 : deadline
        guard Self.wait(deadline, while: { self.current.ender != 0 }) else { return false }
        let members = current
        let keepers = members.keepers
        defer { extendLifetime(keepers) }
        let records = keepers.compactMap(\.ownRecord)
        let isIdle = RunningCalls.wait(for: records, deadline: deadline)
        Completion.dropTokens(of: number)
        guard isIdle,
            members.queues.values.allSatisfy({ $0.mailbox.waitUntilFinished(deadline: deadline) })
        else { return false }
        // Lists that other calls hold may name its observers still, but nobody calls them: so their
        // destroy callbacks need not wait for those calls, nor for their queues.
        for record in records { ObserverLife.destroy(record) }
        return RunningCalls.wait(for: records, deadline: deadline)
            && Waiting.wait(until: deadline) { self.current.services.isEmpty }
            && Self.wait(deadline) { !self.current.isQuiet }
            && !isOwnCall
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
    /// Whatever is called by a record.
    fileprivate var keepers: [any RecordKeeper] {
        let all = Array(observations.values) as [any RecordKeeper] + Array(timers.values) + Array(proxies.values)
        return (all + endings.values).flatMap(\.keepers)
    }

    /// Whether the calling thread ends the owner, or is in a call of it that waiting would wait for.
    fileprivate var isCalledHere: Bool {
        let thread = peal_thread_own_slot()
        let keepers = keepers
        defer { extendLifetime(keepers) }
        return ender != 0 && ender == UInt(bitPattern: thread)
            || thread.map { thread in keepers.contains { $0.ownRecord.map { peal_thread_runs(thread, $0.gate) } ?? false } } ?? false
            || queues.values.contains(where: \.mailbox.isInUseHere)
            || completions.values.contains(where: \.isCallingHere)
            || services.values.contains(where: \.isRunningHere)
            || modules.values.contains(where: \.isHeldUpHere)
    }

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
