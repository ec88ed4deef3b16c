internal import CPealSupport

typealias SnapshotEntry = peal_snapshot_entry
typealias ObserverRecord = peal_observer_record

/// A method's list of observers, in one raw allocation. Readers hold it by hazard pointer; writers,
/// one at a time under the center's lock, append to it or replace it.
typealias Snapshot = UnsafeMutablePointer<peal_snapshot>

extension Snapshot {
    /// A list of a method with its groups, which it takes over, and room but no entries.
    ///
    /// - Parameters:
    ///   - isPending: Whether a service's instance is missing.
    static func make(
        for method: Method, capacity: Int, groups: [ObserverGroup.Pointer], isPending: Bool = false
    ) throws(Failure) -> Snapshot {
        let size = peal_snapshot_size(capacity) + groups.count * MemoryLayout<ObserverGroup.Pointer>.stride
        guard capacity <= Int(UInt32.max), let memory = peal_memory_allocate(size) else { throw .outOfMemory }
        let snapshot = memory.bindMemory(to: peal_snapshot.self, capacity: 1)
        snapshot.pointee.method = method.number
        snapshot.pointee.plan = UnsafeRawPointer(method.plan)
        let traits = groups.isEmpty ? method.traits : method.traits.withSpecialObservers
        snapshot.pointee.traits = (isPending ? method.traits.withPendingServices : traits).rawValue
        snapshot.pointee.parameter_count = UInt32(method.plan.pointee.parameterCount)
        snapshot.pointee.capacity = UInt32(capacity)
        snapshot.pointee.group_count = UInt32(groups.count)
        for (index, group) in groups.enumerated() { peal_snapshot_groups(snapshot)[index] = group }
        if !groups.isEmpty || method.traits.hasCompletion { Recorder.install(in: snapshot) }
        return snapshot
    }

    var count: Int { Int(peal_snapshot_count(self)) }

    var entries: UnsafeBufferPointer<SnapshotEntry> {
        UnsafeBufferPointer(start: peal_snapshot_entries(self), count: count)
    }

    var groups: UnsafeBufferPointer<ObserverGroup.Pointer> { Broadcast.List(self).groups }

    var isPending: Bool { Broadcast.List(self).isPending }

    /// Has broadcasts look for services without instances from now on.
    func markPending() {
        peal_snapshot_set_traits(self, MethodTraits(rawValue: peal_snapshot_traits(self)).withPendingServices.rawValue)
    }

    var hasRoom: Bool { pointee.count < pointee.capacity }

    /// Adds an entry behind the last. Readers that hold the list already do not see it.
    func append(_ entry: SnapshotEntry) {
        peal_snapshot_entry_at(self, count).initialize(to: entry)
        peal_observer_own(entry.record)
        peal_snapshot_set_count(self, UInt32(count + 1))
    }

    /// Frees a list that no reader holds. No user code runs.
    func free() {
        for group in groups { ObserverGroup.leave(group) }
        for entry in entries { ObserverLife.disown(entry.record) }
        peal_memory_free(self)
    }
}

extension Broadcast.List {
    var groups: UnsafeBufferPointer<ObserverGroup.Pointer> {
        UnsafeBufferPointer(start: peal_snapshot_groups(self), count: Int(pointee.group_count))
    }

    /// Only a special list has room for the number of its groups: a place's `nobody` has not.
    var hasGroups: Bool {
        MethodTraits(rawValue: peal_snapshot_traits(self)).isSpecial && pointee.group_count > 0
    }

    /// Whether a service that observes lazily may have no instance on it.
    var isPending: Bool { MethodTraits(rawValue: peal_snapshot_traits(self)).isPending }
}

extension SnapshotEntry {
    var record: UnsafeMutablePointer<ObserverRecord> { peal_observer_of_gate(gate) }

    /// Whether it keeps the place of a service's instance.
    var isLazy: Bool { peal_gate_load(gate) & ObserverGate.lazy != 0 }

    /// Whether it is a service's instance.
    var isOfLazy: Bool { record.pointee.lazy != nil }

    /// Higher priorities come first, then whoever was registered earlier. An instance has the order of its
    /// place, and comes behind that.
    func comes(before other: SnapshotEntry) -> Bool {
        let (own, others) = (record.pointee, other.record.pointee)
        return own.priority != others.priority ? own.priority > others.priority : own.order <= others.order
    }

    /// Whether the observer is removed, and so are those that replaced it.
    func isRemoved(for method: UInt64) -> Bool {
        var entry = self
        while entry.isRemoved {
            guard let successor = peal_successor_entry(entry.record, method) else { return true }
            entry = successor.pointee
        }
        return false
    }

    var isRemoved: Bool { peal_gate_load(gate) & UInt32(PEAL_GATE_REMOVED) != 0 }
}
