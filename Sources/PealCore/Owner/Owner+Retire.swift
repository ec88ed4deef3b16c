internal import CPealSupport
import PealCall

extension Owner {
    /// Ends all that belongs to the owner, and waits until none of its code runs.
    ///
    /// - Parameter timeout: In milliseconds; the largest number never passes.
    /// - Returns: False when its code may still run: this is one of its own calls, or the time has passed.
    public func retire(timeout: UInt32) throws(Failure) -> Bool {
        guard Handles.owners.remove(number) != nil else { throw .staleOwner }
        let deadline = peal_clock_deadline(timeout)
        let left = takeMembers()
        // First: what stops may use what else belongs to the owner.
        let isQuiet = retireModules(Array(left.modules.values), deadline: deadline)
        let services = Array(left.services.values)
        Service.end(services)
        let observations = Array(left.observations.values)
        let queues = Array(left.queues.values)
        for observation in observations where observation.close() { observation.unlist() }
        for ending in left.endings.values {
            for called in ending.called { ObserverGate.endDraining(called.gate) }
            ending.queue?.mailbox.dropDead()
        }
        for timer in left.timers.values { timer.close() }
        for queue in queues { try? queue.end() }
        for property in left.properties { property.center.giveUp(property, of: number) }
        for proxy in left.proxies.keys { _ = try? Proxy.end(proxy) }
        for proto in left.protocols { proto.center.giveUp(proto, of: number) }
        let completions = Array(left.completions.values)
        for completion in completions { completion.finish() }
        let hooks = left.types.compactMap { try? $0.center.unmanageType($0.name) }

        // The records belong to their observations, which Swift would let go of here.
        let ended = (observations + left.endings.values).flatMap(\.called)
        defer {
            extendLifetime(ended)
            extendLifetime(left)
        }
        let proxies = Array(left.proxies.values) + left.endingProxies.values
        let records = ended.map(\.record) + proxies.compactMap(\.target?.record)
            + left.timers.values.map(\.observer) + left.endingTimers.values.map(\.observer)
        guard RunningCalls.wait(for: records, deadline: deadline),
            queues.allSatisfy({ $0.mailbox.waitUntilFinished(deadline: deadline) })
        else { return false }
        // Lists that other calls hold may name its observers still, but nobody calls them: so their
        // destroy callbacks need not wait for those calls, nor for their queues.
        for record in records { ObserverLife.destroy(record) }
        return RunningCalls.wait(for: records, deadline: deadline) && isQuiet
            && !completions.contains(where: \.isCallingHere)
            && !services.contains(where: \.isRunningHere)
            && Waiting.wait(until: deadline) { services.allSatisfy(\.isGone) }
            // Captured arguments that these functions must release; reports that these are told.
            && Self.wait(deadline) { hooks.contains { $0.outstanding > 0 } || completions.contains(where: \.isCalling) }
    }

    private func retireModules(_ modules: [Module], deadline: UInt64) -> Bool {
        var isQuiet = true
        for (_, modules) in Dictionary(grouping: modules, by: \.mediator.center.number) {
            guard let mediator = modules.first?.mediator else { continue }
            isQuiet = mediator.retire(modules, of: name, deadline: deadline) && isQuiet
        }
        return isQuiet
    }

    private static func wait(_ deadline: UInt64, while isBusy: () -> Bool) -> Bool {
        while isBusy() {
            guard peal_clock_now() < deadline else { return false }
            peal_clock_pause(RunningCalls.longestPause)
        }
        return true
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
