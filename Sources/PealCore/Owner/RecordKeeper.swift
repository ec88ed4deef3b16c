internal import CPealSupport

/// An object whose functions are called through a record, as those of observers are: a timer or a proxy. It retains the
/// record.
protocol RecordKeeper: OwnedObject {
    /// Nil for a proxy that broadcasts.
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { get }
}

extension RecordKeeper {
    var keeper: (any RecordKeeper)? { self }

    func isCalling(on thread: UInt) -> Bool {
        guard let slot = UnsafeMutablePointer<peal_thread>(bitPattern: thread), let record = ownRecord else {
            return false
        }
        return peal_thread_runs(slot, record.gate)
    }

    var isBlockedHere: Bool { isCalling(on: UInt(bitPattern: peal_thread_own_slot())) }

    /// Discards the waiting calls of a removed object.
    func endDraining() { ownRecord?.endDraining() }
}

extension Observer {
    /// Discards the waiting calls of a removed observer.
    func endDraining() {
        guard ObserverGate.isEnding(gate) else { return }
        ObserverGate.endDraining(gate)
        mailbox?.dropDead()
    }
}

extension KeptObservers {
    /// Returns true if a thread is in a call of one of the observers or of their instances.
    func areCalling(on thread: UInt) -> Bool {
        guard let slot = UnsafeMutablePointer<peal_thread>(bitPattern: thread) else { return false }
        let instances = instances
        defer { extendLifetime(instances) }
        return records.contains { peal_thread_runs(slot, $0.gate) }
            || instances.contains { peal_thread_runs(slot, $0.gate) }
    }
}
