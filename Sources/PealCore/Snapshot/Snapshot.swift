internal import CPealSupport

typealias SnapshotEntry = peal_entry
typealias ObserverRecord = peal_observer_record

/// A method's list of observers, in one raw allocation. A hazard slot protects it while it is read. Writers,
/// one at a time under the center's lock, append to it or replace it.
typealias Snapshot = UnsafeMutablePointer<peal_snapshot>

extension Snapshot {
    /// An empty list of a method, which is not published yet.
    ///
    /// - Parameters:
    ///   - groupCapacity: The maximum number of its groups.
    ///   - memory: The memory for it; nil: it is allocated.
    static func make(
        for element: MethodElement, capacity: Int, groupCapacity: Int = 0, in memory: UnsafeMutableRawPointer? = nil
    ) throws(Failure) -> Snapshot {
        guard capacity <= Int(UInt32.max), let memory = memory ?? allocate(capacity, groupCapacity) else {
            throw .outOfMemory
        }
        return begin(in: memory, for: element, capacity: UInt32(capacity), hasGroups: groupCapacity > 0)
    }

    /// An empty list for one observer.
    @inline(__always)
    static func makeSingle(for element: MethodElement) throws(Failure) -> Snapshot {
        guard let memory = peal_spare_list_allocate() else { throw .outOfMemory }
        return begin(in: memory, for: element, capacity: 1, hasGroups: false)
    }

    /// An empty list without groups that can be extended; nil if its memory is refused. No groups can be added, because
    /// they follow the last entry.
    ///
    /// - Parameter reserved: The number of entries up to which it can be extended.
    static func makeExtensible(for element: MethodElement, capacity: Int, reserved: Int) -> Snapshot? {
        let size = peal_snapshot_size(reserved)
        guard let most = UInt32(exactly: reserved), let memory = peal_memory_reserve(size) else { return nil }
        guard peal_memory_commit(memory, peal_snapshot_size(capacity)) else {
            peal_memory_free_reserved(memory, size)
            return nil
        }
        let snapshot = begin(in: memory, for: element, capacity: UInt32(capacity), hasGroups: false)
        snapshot.pointee.reserved = most
        return snapshot
    }

    /// Returns true if the list has memory for another entry, or can be extended.
    @inline(__always)
    func makeRoom() -> Bool { count + Int(pointee.pending) < Int(pointee.capacity) || extend() }

    @inline(never)
    private func extend() -> Bool {
        // The twin has the list's capacity.
        guard pointee.capacity < pointee.reserved, pointee.twin == nil else { return false }
        let number = Swift.min(pointee.capacity / 64, pointee.reserved - pointee.capacity)
        let unused = peal_snapshot_entry_at(self, Int(pointee.capacity))
        guard peal_memory_commit(unused, Int(number) * MemoryLayout<SnapshotEntry>.stride) else { return false }
        peal_snapshot_extend(self, number)
        return true
    }

    @inline(__always)
    private static func begin(
        in memory: UnsafeMutableRawPointer, for element: MethodElement, capacity: UInt32, hasGroups: Bool
    ) -> Snapshot {
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: peal_snapshot_size(0))
        let snapshot = memory.bindMemory(to: peal_snapshot.self, capacity: 1)
        snapshot.pointee.method = element.id
        snapshot.pointee.plan = UnsafeRawPointer(element.plan)
        snapshot.pointee.traits = (element.isTapped ? element.traits.withTaps : element.traits).rawValue
        snapshot.pointee.parameter_count = element.pointee.empty_list.parameter_count
        snapshot.pointee.capacity = capacity
        if hasGroups || element.needsList { EnqueueThunk.install(in: snapshot) }
        return snapshot
    }

    private static func allocate(_ capacity: Int, _ groupCapacity: Int) -> UnsafeMutableRawPointer? {
        if capacity == 1, groupCapacity == 0 { return peal_spare_list_allocate() }
        let size = peal_snapshot_size(capacity) + groupCapacity * MemoryLayout<ObserverGroup.Pointer>.stride
        return peal_memory_allocate_unset(size)
    }

    var count: Int { Int(peal_snapshot_count(self)) }

    /// The entries that readers see.
    var entries: UnsafeBufferPointer<SnapshotEntry> {
        UnsafeBufferPointer(start: peal_snapshot_entries(self), count: count)
    }

    /// The entries that are not in order yet. The caller must hold the center's lock.
    var pending: UnsafeMutableBufferPointer<SnapshotEntry> {
        UnsafeMutableBufferPointer(start: peal_snapshot_entry_at(self, count), count: Int(pointee.pending))
    }

    var groups: UnsafeBufferPointer<ObserverGroup.Pointer> { Broadcast.List(self).groups }

    /// Entries of observers that have not ended, in no order. The caller must hold the center's lock.
    var living: [SnapshotEntry] {
        var all = Array(entries) + pending
        for group in groups { all += group.entries }
        return all.filter { !$0.isEnding }
    }

    /// All entries, those of ended observers too. The caller must hold the center's lock.
    var total: Int { count + Int(pointee.pending) + Int(pointee.queued) }

    /// True for a list that is collected at once when it is replaced, because it may take megabytes.
    var isLong: Bool { total > 4096 }

    private var traits: MethodTraits { MethodTraits(rawValue: peal_snapshot_traits(self)) }

    var isUnsettled: Bool { traits.isUnsettled }

    /// Returns true if a service that observes lazily may have no instance in the list.
    var isPending: Bool { traits.isPending }

    /// Marks the list, so that broadcasts look for groups.
    func disableFastPath() { add { $0.withFastPathDisabled } }

    /// Marks the list, so that the items of its calls can be indexed.
    func markIndexed() { add { $0.withIndexedCalls } }

    /// Marks the list, so that broadcasts examine each result.
    func markExamined() { add { $0.withExaminedResults } }

    /// Returns true if a result of an observer in the list may not count.
    var isExamined: Bool { traits.isExamined }

    /// Marks the list, so that broadcasts look for services without instances.
    func markPendingServices() { add { $0.withPendingServices } }

    /// Marks the list, so that the next broadcast settles it.
    func markUnsettled() { add { $0.withUnsettledEntries } }

    private func add(_ mark: (MethodTraits) -> MethodTraits) { peal_snapshot_set_traits(self, mark(traits).rawValue) }

    /// Adds an entry at the end. Readers that already protect the list do not see it.
    func append(_ entry: SnapshotEntry) {
        peal_observer_retain_memory(entry.record)
        appendOwned(entry)
    }

    /// Adds an entry whose record has been counted for the list already.
    func appendOwned(_ entry: SnapshotEntry) {
        let count = count
        if entry.record.pointee.extras == UInt8(PEAL_EXTRAS_ALL) { peal_snapshot_note_rare(self) }
        peal_snapshot_entry_at(self, count).initialize(to: entry)
        peal_snapshot_set_count(self, UInt32(count + 1))
    }

    /// Adds an entry that no reader sees before the list is settled.
    func appendPending(_ entry: SnapshotEntry) {
        peal_snapshot_entry_at(self, count + Int(pointee.pending)).initialize(to: entry)
        peal_observer_retain_memory(entry.record)
        peal_snapshot_note_pending(self)
        markUnsettled()
    }

    /// Returns true if a list is so long that a writer's fence at its replacement is worthwhile: see `inheritBorrowed`.
    /// While no other thread uses the library, the fence is one instruction.
    var isWorthFence: Bool { count >= 256 || (count >= 16 && peal_thread_is_alone()) }

    /// Takes over the weak counts of entries from a list that this one has replaced. If no reader protects that list,
    /// only the counts of entries that this list lacks are released. So the records, which are far more memory than the
    /// lists, are not accessed.
    func inheritBorrowed(_ borrowed: Int, from old: Snapshot) {
        peal_thread_writer_fence()
        guard !peal_thread_any_protects(old) else {
            for entry in entries.prefix(borrowed) { peal_observer_retain_memory(entry.record) }
            return
        }
        // Most long lists are replaced because they have no room.
        if borrowed == old.count { return peal_snapshot_set_count(old, 0) }
        peal_snapshot_subtract(old, self, borrowed)
    }

    /// Returns true if an observer without extras is the only one that the list retains.
    func isOf(_ record: Observer) -> Bool {
        count == 1 && total == 1 && peal_snapshot_entry_at(self, 0).pointee.gate == UnsafePointer(record.gate)
    }

    /// Frees a list that no hazard slot protects. No user code runs.
    ///
    /// - Parameter borrowed: The number of its first entries that are counted for another list.
    func free(borrowed: Int = 0) {
        for group in groups { ObserverGroup.leave(group) }
        let entries = entries
        var ended = EndedRecords()
        for index in borrowed..<entries.count {
            if index + 8 < entries.count { peal_prefetch(entries[index + 8].gate) }
            ObserverLife.releaseMemory(entries[index].record, counts: 1, &ended)
        }
        ended.release()
        for entry in pending { ObserverLife.releaseMemory(entry.record) }
        if let twin = pointee.twin { peal_memory_free(twin) }
        if pointee.reserved > 0 {
            peal_memory_free_reserved(self, peal_snapshot_size(Int(pointee.reserved)))
        } else if pointee.capacity == 1 {
            peal_spare_list_free(self)
        } else {
            peal_memory_free(self)
        }
    }

    /// Frees a list whose one entry is counted for its caller.
    @inline(__always)
    func freeSingle() {
        if pointee.capacity == 1, pointee.group_count == 0, pointee.twin == nil {
            peal_spare_list_free(self)
        } else {
            free(borrowed: 1)
        }
    }
}

extension Broadcast.List {
    var groups: UnsafeBufferPointer<ObserverGroup.Pointer> {
        UnsafeBufferPointer(start: peal_snapshot_groups(self), count: Int(pointee.group_count))
    }

    @inline(__always)
    private var traits: MethodTraits { MethodTraits(rawValue: peal_snapshot_traits(self)) }

    /// Only a list without the fast path has memory for the number of its groups: the empty list of an element has none.
    var hasGroups: Bool { traits.isFastPathDisabled && pointee.group_count > 0 }

    /// Returns true if taps see broadcasts to the list.
    var isTapped: Bool { traits.isTapped }

    /// Returns true if a queue finds waiting calls of the list by their method. Only for lists with groups.
    @inline(__always)
    var isIndexed: Bool { traits.isIndexed }

    /// Returns true if a service that observes lazily may have no instance in the list.
    var isPending: Bool { traits.isPending }

    /// Returns true if some entries are not in order yet.
    var isUnsettled: Bool { traits.isUnsettled }

    /// Returns true if the list must be settled, or services created, before a broadcast calls its entries.
    var needsPreparation: Bool { traits.needsPreparation }
}
