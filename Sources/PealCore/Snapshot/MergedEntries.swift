internal import CPealSupport

/// The entries of a list's living observers in the order of `SnapshotEntry.precedes`, with the pending entries and one
/// that is to be added. The pending entries must be sorted, and the caller must hold the center's lock.
struct MergedEntries: Sequence, IteratorProtocol {
    private let origin: Snapshot?
    /// Observers that are left out, in addition to those that have ended.
    private let leaving: Set<UnsafeMutablePointer<ObserverRecord>>
    /// The next entry of each source.
    private var settled: SnapshotEntry?
    private var pending: SnapshotEntry?
    private var added: SnapshotEntry?
    /// Where the first two sources continue. Part 0 is the list's own entries, the others are its groups.
    private var part = 0
    private var index = 0
    private var pendingIndex = 0

    init(
        of origin: Snapshot?, adding added: SnapshotEntry?, without leaving: Set<UnsafeMutablePointer<ObserverRecord>>
    ) {
        self.origin = origin
        self.leaving = leaving
        self.added = added
        settled = nextSettled()
        pending = nextPending()
    }

    mutating func next() -> SnapshotEntry? {
        var first = settled
        if let pending, first.map(pending.precedes) ?? true { first = pending }
        if let added, first.map(added.precedes) ?? true {
            self.added = nil
            return added
        }
        guard let first else { return nil }
        if first.gate == pending?.gate { pending = nextPending() } else { settled = nextSettled() }
        return first
    }

    private func remains(_ entry: SnapshotEntry) -> Bool {
        !entry.isEnding && (leaving.isEmpty || !leaving.contains(entry.record))
    }

    private mutating func nextSettled() -> SnapshotEntry? {
        guard let origin else { return nil }
        while part <= origin.groups.count {
            let entries = part == 0 ? origin.entries : origin.mergedGroup(part - 1).entries
            while index < entries.count {
                index += 1
                if remains(entries[index - 1]) { return entries[index - 1] }
            }
            part += 1
            index = 0
        }
        return nil
    }

    private mutating func nextPending() -> SnapshotEntry? {
        guard let entries = origin?.pending else { return nil }
        while pendingIndex < entries.count {
            pendingIndex += 1
            if remains(entries[pendingIndex - 1]) { return entries[pendingIndex - 1] }
        }
        return nil
    }
}

extension Snapshot {
    /// A group by its rank in the order of `SnapshotEntry.precedes`: see `putInCallOrder`.
    fileprivate func mergedGroup(_ rank: Int) -> ObserverGroup.Pointer {
        let groups = self.groups
        let group = groups[rank]
        // By `precedes`, a group that keeps the latest call follows the other group of its queue. A group with the
        // other order has been swapped.
        let other = group.pointee.keeps_latest ? rank + 1 : rank - 1
        let isSwapped = groups.indices.contains(other) && groups[other].pointee.mailbox == group.pointee.mailbox
        return isSwapped ? groups[other] : group
    }

    /// Moves the last group before the previous one if both have the same queue and the last group's first observer is
    /// called first.
    func putInCallOrder() {
        let count = groups.count
        guard count > 1, groups[count - 2].pointee.mailbox == groups[count - 1].pointee.mailbox,
            let first = groups[count - 2].entries.first, let last = groups[count - 1].entries.first,
            last.comes(before: first)
        else { return }
        peal_snapshot_swap_last_groups(self)
    }
}
