internal import CPealSupport

/// A change to one method's list, prepared so that its commit cannot fail.
///
/// Preparing allocates; committing publishes. A registration prepares the changes of all its methods first, so a
/// refused allocation registers nothing. The caller must hold the center's lock, from the preparation until the change
/// is committed or cancelled and replaced observers are closed.
///
/// A short list is replaced by each change that needs another order. In a long list the entry is added as pending, and
/// the next broadcast settles the list. So a change costs the same in a list of any length, and a broadcast, which
/// calls all observers anyway, settles once for all changes before it.
struct SnapshotTransaction: BitwiseCopyable {
    private enum Kind: BitwiseCopyable {
        case append(SnapshotEntry, to: Snapshot)
        case appendPending(SnapshotEntry, to: Snapshot)
        case replace(by: Snapshot, borrowed: Int)
    }

    let element: MethodElement
    private let kind: Kind

    private init(element: MethodElement, kind: Kind) {
        self.element = element
        self.kind = kind
    }

    /// Prepares to insert the entry of a new observer, which no other thread can find yet, in its order. If the
    /// observer has a queue, the entry joins the queue's group.
    @inline(__always)
    init(inserting entry: SnapshotEntry, in element: MethodElement) throws(Failure) {
        let current = element.list
        guard let list = try element.listToAppend(entry, current) else {
            try self.init(inserting: entry, replacing: [], in: element)
            return
        }
        peal_observer_retain_memory_unshared(entry.record)
        if current != nil {
            self.init(element: element, kind: .append(entry, to: list))
        } else {
            list.appendOwned(entry)
            self.init(element: element, kind: .replace(by: list, borrowed: 0))
        }
    }

    /// Prepares to insert the entry of an observer that may replace others.
    ///
    /// - Parameter replaced: Observers that are removed from the list by the same change. The caller closes them
    ///   before it releases the center's lock.
    init(
        inserting entry: SnapshotEntry, replacing replaced: Set<UnsafeMutablePointer<ObserverRecord>>,
        in element: MethodElement
    ) throws(Failure) {
        if let list = element.list, list.makeRoom(), list.total >= SnapshotTransaction.longList {
            try list.reserveTwin(for: entry)
            self.init(element: element, kind: .appendPending(entry, to: list))
            return
        }
        var builder = SnapshotBuilder(element)
        builder.added = entry
        builder.leaving = replaced
        let built = try builder.build(grows: true)
        self.init(element: element, kind: .replace(by: built.list, borrowed: built.borrowed))
    }

    /// The number of entries from which a list is not replaced by each change.
    private static var longList: Int { 64 }

    /// Returns true if the list that the change replaces is long enough to be freed at once.
    @inline(__always)
    var leavesLongList: Bool { replacesList && (element.list?.isLong ?? false) }

    /// Returns true if the change removes the replaced observers from the list. Otherwise they must still be removed.
    var replacesList: Bool { if case .replace = kind { true } else { false } }

    /// Publishes the change, and retires the list that it replaces.
    @inline(__always)
    func commit() {
        switch kind {
        case .append(let entry, let list):
            list.appendOwned(entry)
            if entry.isLazy { list.markPendingServices() }
        case .appendPending(let entry, let list):
            list.appendPending(entry)
            if entry.isExamined(in: element) { list.markExamined() }
        case .replace(let list, let borrowed): element.publish(list, borrowed: borrowed)
        }
    }

    /// Frees all that was prepared and not published.
    func cancel() {
        switch kind {
        case .append(let entry, _): ObserverLife.releaseMemory(entry.record)
        case .appendPending: break
        // No reader has seen the list, and others retain its records.
        case .replace(let list, let borrowed): list.free(borrowed: borrowed)
        }
    }

    /// Removes an observer that has ended. Its entry may remain for some time, marked by its gate.
    ///
    /// - Returns: The list that was replaced, which the caller must retire; nil if none was.
    @inline(__always)
    static func remove(_ record: Observer, from element: MethodElement) -> Snapshot? {
        guard let list = element.list else { return nil }
        if record.delivery == nil, list.isOf(record), !element.needsList {
            return element.replace(by: peal_directory_empty_list(element))
        }
        return remove(record, from: list, of: element)
    }

    @inline(never)
    private static func remove(_ record: Observer, from list: Snapshot, of element: MethodElement) -> Snapshot? {
        peal_snapshot_note_removed(list, record)
        if record.delivery != nil { list.noteRemoved(record) }
        return list.mayNeedTidying ? tidy(list, of: element) : nil
    }

    /// Removes ended entries from a list that has many of them.
    @inline(never)
    private static func tidy(_ list: Snapshot, of element: MethodElement) -> Snapshot? {
        if list.isAllEnded, !element.needsList { return element.replace(by: peal_directory_empty_list(element)) }
        let isShortened = list.dropLastEnded()
        guard
            list.isCrowdedByRemoved || (isShortened && list.isOversized)
                || (list.isUnsettled && list.total <= longList)
        else { return nil }
        return rebuild(list, of: element)
    }

    /// Settles a list before a broadcast.
    ///
    /// - Returns: False when memory is short and observers would be missed. The next broadcast tries again.
    static func settle(_ element: MethodElement) -> Bool {
        guard let list = element.list, list.isUnsettled else { return true }
        guard let replaced = rebuild(list, of: element) else { return list.pointee.pending == 0 }
        Reclaimer.retire(.list(replaced))
        return true
    }

    /// - Returns: The list that was replaced; nil if memory is refused.
    private static func rebuild(_ list: Snapshot, of element: MethodElement) -> Snapshot? {
        guard let next = try? SnapshotBuilder(element).build(grows: false) else { return nil }
        return element.replace(by: next.list, borrowed: next.borrowed)
    }
}

extension MethodElement {
    /// The list to which the entry of a new observer may simply be appended: the current one, or a new list if there is
    /// none. Nil if a list must be built. Reads no entry but the last one, since thousands may register in a row.
    @inline(__always)
    func listToAppend(_ entry: SnapshotEntry, _ current: Snapshot?) throws(Failure) -> Snapshot? {
        if let current { return current.canAppend(entry, in: self) ? current : nil }
        guard entry.addsNoTraits, !entry.isExamined(in: self) else { return nil }
        // In glibc, larger memory is merged with its neighbours when it is freed.
        return try Snapshot.makeSingle(for: self)
    }
}

/// The changes that one registration makes: most observers have one method, whose change needs no memory here.
struct SnapshotTransactions {
    private let first: SnapshotTransaction?
    /// Nil instead of an empty array, which would be counted.
    private let others: [SnapshotTransaction]?

    /// Prepares the change of each list. If that fails for one, the earlier changes are cancelled.
    @inline(__always)
    init(
        _ listings: UnsafeBufferPointer<ObserverTables.Listing>,
        _ prepare: (ObserverTables.Listing) throws(Failure) -> SnapshotTransaction
    ) throws(Failure) {
        guard let listing = listings.first else {
            (first, others) = (nil, nil)
            return
        }
        let first = try prepare(listing)
        self.first = first
        others = listings.count > 1 ? try Self.prepare(listings.dropFirst(), after: first, prepare) : nil
    }

    @inline(never)
    private static func prepare(
        _ listings: Slice<UnsafeBufferPointer<ObserverTables.Listing>>, after first: SnapshotTransaction,
        _ prepare: (ObserverTables.Listing) throws(Failure) -> SnapshotTransaction
    ) throws(Failure) -> [SnapshotTransaction] {
        var prepared: [SnapshotTransaction] = []
        do throws(Failure) {
            for listing in listings { prepared.append(try prepare(listing)) }
            return prepared
        } catch {
            first.cancel()
            for change in prepared { change.cancel() }
            throw error
        }
    }

    @inline(__always)
    func commit() {
        first?.commit()
        if let others { for change in others { change.commit() } }
    }

    @inline(never)
    func cancel() {
        first?.cancel()
        for change in others ?? [] { change.cancel() }
    }

    /// Returns true if one of the changes replaces a long list. Call before they are committed.
    @inline(__always)
    var leavesLongList: Bool {
        if first?.leavesLongList == true { return true }
        guard let others else { return false }
        return others.contains { $0.leavesLongList }
    }

    /// The lists from which these changes remove the replaced observers.
    var replacedLists: Set<MethodElement> {
        var elements: Set<MethodElement> = []
        if let first, first.replacesList { elements.insert(first.element) }
        for change in others ?? [] where change.replacesList { elements.insert(change.element) }
        return elements
    }
}

extension Snapshot {
    /// Returns true if the entry may simply be appended to the list of an element.
    @inline(__always)
    func canAppend(_ entry: SnapshotEntry, in element: MethodElement) -> Bool {
        guard makeRoom(), !isUnsettled, !entry.isExamined(in: element) else { return false }
        // An instance may be the last that was missing: broadcasts do not look for missing ones in the new list.
        if entry.record.delivery != nil, entry.mailbox != nil || entry.isOfLazy { return false }
        let count = count
        return count == 0 || peal_snapshot_entry_at(self, count - 1).pointee.comes(before: entry)
    }

    /// Reserves memory for the list that settles this one, so that a broadcast to observers without queues cannot fail.
    /// A broadcast to queues allocates in any case.
    fileprivate func reserveTwin(for entry: SnapshotEntry) throws(Failure) {
        guard pointee.twin == nil, pointee.group_count == 0, entry.mailbox == nil else { return }
        guard let memory = peal_memory_allocate_unset(peal_snapshot_size(Int(pointee.capacity))) else {
            throw .outOfMemory
        }
        peal_snapshot_set_twin(self, memory)
    }

    /// Notes the removal of an observer with extras. Others have no queue and no service.
    @inline(never)
    fileprivate func noteRemoved(_ record: Observer) {
        // The placeholder of an instance that ends has no instance, so broadcasts test its service again.
        if record.placeholder != nil { markPendingServices() }
        // Queued calls are counted by their groups, and an entry that drains would still be called. A new list is built
        // to find out if services are missing.
        let isLazy = record.placeholder != nil || ObserverGate.isLazy(peal_gate_load(record.gate))
        if record.mailbox != nil || isLazy { markUnsettled() }
    }

    /// Returns true if a short list has no observer any more.
    fileprivate var isAllEnded: Bool {
        guard count <= 8, total == count else { return false }
        for entry in entries where !entry.isEnding { return false }
        return true
    }

    /// Returns true if enough entries have ended to build the list again: any entry of a short list, a quarter of the
    /// entries of another.
    fileprivate var isCrowdedByRemoved: Bool { total <= 8 || Int(pointee.removed) * 4 > total }

    /// Returns true if a list has much more memory than its entries need.
    fileprivate var isOversized: Bool { pointee.capacity > 256 && total * 4 < Int(pointee.capacity) }

    /// False for most lists from which an observer has been removed.
    @inline(__always)
    fileprivate var mayNeedTidying: Bool { isCrowdedByRemoved || hasManyRemoved || isUnsettled }

    /// Entries are dropped in such numbers, because that of an observer whose record has been collected is dropped
    /// without an atomic operation.
    @inline(__always)
    private var hasManyRemoved: Bool { pointee.removed % 128 == 0 }

    /// Drops many ended entries at the end of a long list that no thread reads. So an observer that is registered and
    /// removed beside many others costs as much as alone: the list is not copied, and uses the same memory again.
    ///
    /// While other threads use the library, this takes a writer's fence. It is then done only if a new list would be
    /// built otherwise.
    ///
    /// - Returns: False if it does nothing.
    @inline(never) @_optimize(speed)
    fileprivate func dropLastEnded() -> Bool {
        let end = count
        guard end >= 256, pointee.pending == 0, !peal_thread_any_protects(self) else { return false }
        let isAlone = peal_thread_is_alone()
        guard isAlone || isCrowdedByRemoved else { return false }
        var rest = end
        while rest > 1, peal_snapshot_entry_at(self, rest - 1).pointee.isEndingWithoutExtras { rest -= 1 }
        // A smaller number would not pay for the fence.
        guard end - rest >= 64, isAlone || 2 * (end - rest) >= Int(pointee.removed),
            Reclaimer.shorten(self, to: rest)
        else { return false }
        var ended = EndedRecords()
        for index in rest..<end {
            let record = peal_snapshot_entry_at(self, index).pointee.record
            guard peal_observer_release_memory(record, 1) else { continue }
            ended.add(record)
            record.free()
        }
        ended.release()
        peal_snapshot_note_dropped(self, UInt32(end - rest))
        return true
    }
}
