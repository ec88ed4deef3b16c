internal import CPealSupport

/// Builds the list that replaces another one: the entries of its living observers, with the pending ones in order.
///
/// The builder allocates raw memory only, which may be refused. So a broadcast may build a list of any length.
struct SnapshotBuilder {
    let element: MethodElement
    let origin: Snapshot?
    var added: SnapshotEntry?
    /// Observers that are left out although they have not ended yet.
    var leaving: Set<UnsafeMutablePointer<ObserverRecord>> = []

    /// Upper bounds: an observer may end while the list is built.
    private struct Bounds {
        var direct = 0
        var queued = 0
        var groups = 0

        /// The bounds for a list without groups and pending entries.
        init(flat list: Snapshot) {
            for entry in list.entries where !entry.isEnding { direct += 1 }
        }

        init(_ entries: MergedEntries) {
            var last: SnapshotEntry?
            for entry in entries {
                if entry.mailbox == nil {
                    direct += 1
                } else {
                    queued += 1
                    if last?.isInGroup(of: entry) != true { groups += 1 }
                    last = entry
                }
            }
        }
    }

    init(_ element: MethodElement) {
        self.element = element
        origin = element.list
    }

    /// Returns true if the entries are those of the list that have not ended, and the added one after them.
    private var isFlat: Bool {
        guard let origin, leaving.isEmpty, origin.total == origin.count else { return false }
        guard let added else { return true }
        return added.mailbox == nil && origin.entries.last?.comes(before: added) ?? true
    }

    private var entries: MergedEntries { MergedEntries(of: origin, adding: added, without: leaving) }

    /// - Parameter grows: True if many more entries may be added.
    /// - Returns: The element's empty list if no observer remains. Also the number of the list's first entries that
    ///   are counted for the replaced list: they are taken over when the list is published.
    func build(grows: Bool) throws(Failure) -> (list: Snapshot, borrowed: Int) {
        let built = try buildUnmarked(grows: grows)
        let mayBeExamined = origin?.isExamined == true || added?.isExamined(in: element) == true
        if mayBeExamined, built.list.entries.contains(where: { $0.isExamined(in: element) }) {
            built.list.markExamined()
        }
        return built
    }

    @inline(__always)
    private func buildUnmarked(grows: Bool) throws(Failure) -> (list: Snapshot, borrowed: Int) {
        origin?.pending.heapSort()
        if isFlat, let origin {
            return origin.isWorthFence ? try build(borrowingFrom: origin) : (try build(flat: origin, grows: grows), 0)
        }
        let bounds = Bounds(entries)
        guard bounds.direct + bounds.queued > 0 || element.needsList else {
            return (peal_directory_empty_list(element), 0)
        }
        let list = try makeList(bounds, grows: grows)
        var staged = 0
        // A placeholder precedes its instance, so it is counted before it can end.
        var missing = 0
        for entry in entries {
            missing += entry.missingInstances
            if entry.mailbox == nil {
                list.append(entry)
            } else {
                // The groups' entries are staged in the list's memory until the groups are made.
                peal_snapshot_entry_at(list, bounds.direct + staged).initialize(to: entry)
                staged += 1
            }
        }
        do throws(Failure) {
            try addGroups(
                UnsafeBufferPointer(start: peal_snapshot_entry_at(list, bounds.direct), count: staged), to: list)
        } catch {
            // No record is freed here, because its registration retains it.
            list.free()
            throw error
        }
        if staged > 0 { list.disableFastPath() }
        if staged > 0, list.groups.contains(where: { $0.pointee.is_indexed }) { list.markIndexed() }
        if missing > 0 { list.markPendingServices() }
        return (list, 0)
    }

    /// The most frequent case: the remaining entries keep their order.
    private func build(flat origin: Snapshot, grows: Bool) throws(Failure) -> Snapshot {
        var bounds = Bounds(flat: origin)
        if added != nil { bounds.direct += 1 }
        guard bounds.direct > 0 || element.needsList else { return peal_directory_empty_list(element) }
        let list = try makeList(bounds, grows: grows)
        var missing = 0
        for entry in origin.entries where !entry.isEnding {
            // An observer may end meanwhile, but none is added.
            missing += entry.missingInstances
            list.append(entry)
        }
        if let added {
            missing += added.missingInstances
            list.append(added)
        }
        if missing > 0 { list.markPendingServices() }
        return list
    }

    /// An empty list with room to grow. A list of many pages has address space for much more, which takes no memory, so it
    /// is rarely copied. Where that is refused, the list is made as shorter ones are.
    private func makeGrown(_ count: Int) throws(Failure) -> Snapshot {
        if peal_snapshot_size(count) >= 1 << 17,
            let list = Snapshot.makeExtensible(for: element, capacity: count + 1, reserved: count * 8)
        {
            return list
        }
        return try Snapshot.make(for: element, capacity: count * 5 / 4)
    }

    /// Builds the list for the same case after a long list, whose records are far more memory than the list. Reads each
    /// record once, or none if no entry has ended.
    private func build(borrowingFrom origin: Snapshot) throws(Failure) -> (list: Snapshot, borrowed: Int) {
        let list = try added == nil ? Snapshot.make(for: element, capacity: origin.count) : makeGrown(origin.count)
        var missing = 0
        if origin.pointee.removed == 0, !origin.isPending {
            peal_snapshot_copy_entries(list, origin)
        } else {
            peal_snapshot_copy_living(list, origin)
            if list.pointee.has_rare { for entry in list.entries { missing += entry.missingInstances } }
        }
        let borrowed = list.count
        if let added {
            missing += added.missingInstances
            list.append(added)
        }
        if missing > 0 { list.markPendingServices() }
        guard list.count > 0 || element.needsList else {
            list.free()
            return (peal_directory_empty_list(element), 0)
        }
        return (list, borrowed)
    }

    /// The list has memory for its groups' entries besides its own, while they are staged, and for pending ones.
    private func makeList(_ bounds: Bounds, grows: Bool) throws(Failure) -> Snapshot {
        let total = bounds.direct + bounds.queued
        let capacity = bounds.direct + (Swift.max(grows ? 3 : 0, bounds.queued, total / 2))
        guard !grows, bounds.groups == 0, let origin, origin.pointee.twin != nil else {
            return try Snapshot.make(for: element, capacity: capacity, groupCapacity: bounds.groups)
        }
        let reserved = Int(origin.pointee.capacity)
        // A list that has become much shorter gets less memory, if that can be allocated.
        if reserved > 4 * capacity, let smaller = try? Snapshot.make(for: element, capacity: capacity) {
            return smaller
        }
        return try Snapshot.make(for: element, capacity: reserved, in: peal_snapshot_remove_twin(origin))
    }

    private func addGroups(_ staged: UnsafeBufferPointer<SnapshotEntry>, to list: Snapshot) throws(Failure) {
        guard !staged.isEmpty else { return }
        // Only open methods have lists.
        guard let method = Handles.methods.find(element.id) else { return }
        var rest = staged[...]
        while let first = rest.first {
            let members = rest.prefix { $0.isInGroup(of: first) }
            rest = rest[members.endIndex...]
            let group = try ObserverGroup.make(for: method, of: members, keepsLatest: first.record.keepsLatest)
            peal_snapshot_add_group(list, group, UInt32(members.count))
            list.putInCallOrder()
        }
    }
}
