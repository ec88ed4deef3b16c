internal import CPealSupport
import PealCall

extension Owner {
    /// Ends all that belongs to an owner, and waits until none of its code runs. After a failure it may be called
    /// again, and then only waits.
    ///
    /// - Parameter timeout: In milliseconds; the largest number means no limit.
    /// - Returns: False if its code may still run: this is one of its own calls, or the time limit has expired.
    public static func retire(_ id: UInt64, timeout: UInt32) throws(Failure) -> Bool {
        let deadline = peal_clock_deadline(timeout)
        guard let owner = Handles.owners.findEvenRetired(id) else { throw .staleOwner }
        Handles.owners.retire(id)
        if owner.beginRetiring() { owner.end(deadline: deadline) }
        guard owner.waitUntilQuiet(deadline: deadline) else { return false }
        Handles.owners.recycle(id)
        return true
    }

    private func end(deadline: UInt64) {
        let (observers, objects) = (observers, objects)
        for kind in OwnedKind.allCases { kind.end(objects, observers, of: self, deadline: deadline) }
        endRetiring()
    }

    /// Waits until no function of an ended object is called any more.
    ///
    /// - Returns: False if a call is this thread's, the time limit has expired, or the wait was circular.
    private func waitUntilQuiet(deadline: UInt64) -> Bool {
        let isOwnCall = isBlockedHere
        if settle() { return !isOwnCall }
        guard !isOwnCall else { return false }
        SeenCall.note()
        return WaitGraph.waiting(for: .retirement(of: self)) { wait in
            RunningCalls.wait(until: deadline, unless: { wait.isCut }) { settle() }
        }
    }

    /// True if the calling thread ends the owner, or is in a call of the owner's code, whose return this thread cannot
    /// wait for.
    private var isBlockedHere: Bool {
        let (ender, thread) = (ender, UInt(bitPattern: peal_thread_own_slot()))
        return ender != 0 && ender == thread || observers.areCalling(on: thread)
            || objects.contains(where: { $0.isBlockedHere })
    }

    /// Returns true if a thread is in a call of one of the owner's objects. The thread waits, or is the calling one.
    func isCalling(on thread: UInt) -> Bool {
        observers.areCalling(on: thread) || objects.contains { $0.isCalling(on: thread) }
    }

    /// Runs the destroy callbacks that other calls delay, once no function of an ended object is called any more.
    ///
    /// - Returns: True if nothing of the owner is called any more.
    private func settle() -> Bool {
        guard ender == 0 else { return false }
        let observers = observers
        let instances = observers.instances
        let keepers = objects.compactMap { $0.keeper }
        defer {
            extendLifetime(observers)
            extendLifetime(instances)
            extendLifetime(keepers)
        }
        // Instances end before their placeholders.
        let records = instances.map { $0.record } + observers.records + keepers.compactMap { $0.ownRecord }
        let isIdle = RunningCalls.haveEnded(records)
        Completion.drop(tokens)
        guard isIdle, members(Queue.self).isEmpty else { return false }
        // Lists that other calls protect may still contain its observers, but no thread calls these. So their destroy
        // callbacks need not wait for those calls, nor for their queues.
        for record in records { ObserverLife.destroy(record) }
        guard RunningCalls.haveEnded(records) else { return false }
        for record in records { peal_observer_set_quiet(record) }
        Mailbox.dropAllDead()
        return self.objects.allSatisfy { $0.isFinished }
    }
}
