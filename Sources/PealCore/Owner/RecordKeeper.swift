internal import CPealSupport

/// An object that is called by a record, as observers are, and keeps it: an observation, a timer, a proxy.
protocol RecordKeeper: OwnedObject {
    /// nil: a proxy that broadcasts.
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { get }
}

extension RecordKeeper {
    var keepers: [any RecordKeeper] { [self] }

    func isCalling(on thread: UInt) -> Bool {
        guard let slot = UnsafeMutablePointer<peal_thread>(bitPattern: thread) else { return false }
        let keepers = keepers
        defer { extendLifetime(keepers) }
        return keepers.compactMap { $0.ownRecord }.contains { peal_thread_runs(slot, $0.gate) }
    }

    var isHeldUpHere: Bool { isCalling(on: UInt(bitPattern: peal_thread_own_slot())) }

    /// Drops the calls that a removed object still waits for.
    func endDraining() {
        let keepers = keepers
        defer { extendLifetime(keepers) }
        for record in keepers.compactMap({ $0.ownRecord }) where ObserverGate.isEnding(record.gate) {
            ObserverGate.endDraining(record.gate)
            record.mailbox?.dropDead()
        }
    }
}
