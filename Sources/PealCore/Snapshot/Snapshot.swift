internal import CPealSupport

typealias SnapshotEntry = peal_snapshot_entry
typealias ObserverRecord = peal_observer_record

/// A method's list of observers, in one raw allocation. Readers hold it by hazard pointer; writers,
/// one at a time under the center's lock, append to it or replace it.
typealias Snapshot = UnsafeMutablePointer<peal_snapshot>

extension Snapshot {
    /// A list for the same method, with room but no entries.
    static func make(for method: Method, capacity: Int) throws(Failure) -> Snapshot {
        guard capacity <= Int(UInt32.max), let memory = peal_memory_allocate(peal_snapshot_size(capacity))
        else { throw .outOfMemory }
        let snapshot = memory.bindMemory(to: peal_snapshot.self, capacity: 1)
        snapshot.pointee.method = method.number
        snapshot.pointee.plan = UnsafeRawPointer(method.plan)
        snapshot.pointee.traits = method.traits.rawValue
        snapshot.pointee.parameter_count = UInt32(method.plan.pointee.parameterCount)
        snapshot.pointee.capacity = UInt32(capacity)
        return snapshot
    }

    var count: Int { Int(peal_snapshot_count(self)) }

    var entries: UnsafeBufferPointer<SnapshotEntry> {
        UnsafeBufferPointer(start: peal_snapshot_entries(self), count: count)
    }

    var hasRoom: Bool { pointee.count < pointee.capacity }

    /// Adds an entry behind the last. Readers that hold the list already do not see it.
    func append(_ entry: SnapshotEntry) {
        peal_snapshot_entry_at(self, count).initialize(to: entry)
        peal_observer_retain(entry.record)
        peal_snapshot_set_count(self, UInt32(count + 1))
    }

    /// Frees a list that no reader holds, and lets go of the observers on it.
    ///
    /// - Returns: The records whose last list this was.
    func free() -> [UnsafeMutablePointer<ObserverRecord>] {
        let finished = entries.map(\.record).filter { peal_observer_release($0) }
        peal_memory_free(self)
        return finished
    }
}

extension SnapshotEntry {
    var record: UnsafeMutablePointer<ObserverRecord> { peal_observer_of_gate(gate) }

    var isRemoved: Bool { peal_gate_load(gate) & UInt32(PEAL_GATE_REMOVED) != 0 }
}
