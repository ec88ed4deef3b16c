internal import CPealSupport

/// A method's list, taken apart to be put together anew. What is marked as removed is left out.
struct ListDraft {
    let origin: Snapshot
    private let method: Method
    private var entries: [SnapshotEntry]
    private var groups: [Group]

    /// One that stays is shared with the origin; one that changes is made anew.
    private struct Group {
        let mailbox: Mailbox
        let keepsLatest: Bool
        var entries: [SnapshotEntry]
        let known: ObserverGroup.Pointer?

        var listed: [SnapshotEntry] { known.map { $0.entries.filter { !$0.isRemoved } } ?? entries }

        func takes(_ entry: SnapshotEntry, on mailbox: Mailbox) -> Bool {
            mailbox == self.mailbox && entry.record.pointee.keeps_latest == keepsLatest
        }
    }

    init(_ origin: Snapshot, of method: Method) {
        self.origin = origin
        self.method = method
        let isNobody = origin == peal_directory_nobody(method.place)
        entries = origin.entries.filter { !$0.isRemoved }
        groups = isNobody ? [] : origin.groups.map { group in
            Group(mailbox: group.pointee.mailbox, keepsLatest: group.pointee.keeps_latest, entries: [], known: group)
        }
    }

    var isEmpty: Bool { entries.isEmpty && groups.isEmpty }

    func group(for entry: SnapshotEntry, on mailbox: Mailbox) -> ObserverGroup.Pointer? {
        groups.first { $0.takes(entry, on: mailbox) }?.known
    }

    /// Whether the origin may simply get one entry more. Readers tell by its traits what to look for, so
    /// a service needs another list, and its instance too.
    static func takes(_ entry: SnapshotEntry, behind origin: Snapshot, of method: Method) -> Bool {
        guard origin != peal_directory_nobody(method.place), origin.hasRoom, !entry.isLazy, !entry.isOfLazy
        else { return false }
        return origin.entries.last?.comes(before: entry) ?? true
    }

    mutating func insert(_ entry: SnapshotEntry) {
        Self.insert(entry, into: &entries)
    }

    mutating func insert(_ entry: SnapshotEntry, in mailbox: Mailbox) throws(Failure) {
        let index = groups.firstIndex { $0.takes(entry, on: mailbox) }
        var listed = index.map { groups[$0].listed } ?? []
        Self.insert(entry, into: &listed)
        let changed = Group(
            mailbox: mailbox, keepsLatest: entry.record.pointee.keeps_latest, entries: listed, known: nil)
        if let index { groups[index] = changed } else { groups.append(changed) }
    }

    /// - Returns: Whether the record was listed.
    mutating func remove(_ record: UnsafeMutablePointer<ObserverRecord>) throws(Failure) -> Bool {
        let count = entries.count
        entries.removeAll { $0.record == record }
        if let index = groups.firstIndex(where: { $0.known?.entries.contains { $0.record == record } ?? false }) {
            let kept = groups[index].known?.entries.filter { $0.record != record && !$0.isRemoved } ?? []
            let changed = groups[index]
            groups[index] = Group(
                mailbox: changed.mailbox, keepsLatest: changed.keepsLatest, entries: kept, known: nil)
            if kept.isEmpty { groups.remove(at: index) }
            return true
        }
        return entries.count != count || origin.entries.count != count
    }

    /// The entries are without them already; groups that stay are shared as they are.
    mutating func dropRemoved() {
        for index in groups.indices {
            guard let known = groups[index].known, known.entries.contains(where: \.isRemoved) else { continue }
            let kept = known.entries.filter { !$0.isRemoved }
            groups[index] = Group(
                mailbox: groups[index].mailbox, keepsLatest: groups[index].keepsLatest, entries: kept, known: nil)
        }
        groups.removeAll { $0.known == nil && $0.entries.isEmpty }
    }

    /// Drops observers that another one replaces, and are not marked as removed yet.
    mutating func drop(_ records: Set<UnsafeMutablePointer<ObserverRecord>>) {
        entries.removeAll { records.contains($0.record) }
        for (index, group) in groups.enumerated() where group.listed.contains(where: { records.contains($0.record) }) {
            groups[index] = Group(
                mailbox: group.mailbox, keepsLatest: group.keepsLatest,
                entries: group.listed.filter { !records.contains($0.record) }, known: nil)
        }
        groups.removeAll { $0.known == nil && $0.entries.isEmpty }
    }

    private static func insert(_ entry: SnapshotEntry, into entries: inout [SnapshotEntry]) {
        entries.insert(entry, at: entries.firstIndex { !$0.comes(before: entry) } ?? entries.count)
    }

    /// Whether a service that observes lazily has no instance here.
    private var isPending: Bool {
        let places = entries.filter(\.isLazy)
        guard !places.isEmpty else { return false }
        let inGroups = groups.flatMap { $0.known.map { Array($0.entries) } ?? $0.entries }
        let filled = (entries + inGroups).filter { !$0.isRemoved }.compactMap(\.record.pointee.lazy)
        return places.contains { !filled.contains($0.record) }
    }

    func make(withRoom: Bool) throws(Failure) -> Snapshot {
        var made: [ObserverGroup.Pointer] = []
        do throws(Failure) {
            for group in groups { made.append(try make(group)) }
            let capacity = withRoom ? max(4, 2 * entries.count) : entries.count + entries.count / 2
            let list = try Snapshot.make(for: method, capacity: capacity, groups: made, isPending: isPending)
            for entry in entries { list.append(entry) }
            return list
        } catch {
            // None of the records ends here: their registrations hold them.
            for group in made { ObserverGroup.leave(group) }
            throw error
        }
    }

    private func make(_ group: Group) throws(Failure) -> ObserverGroup.Pointer {
        if let known = group.known {
            peal_group_retain(known, 1)
            return known
        }
        let made = try ObserverGroup.make(
            for: method, on: group.mailbox, keepsLatest: group.keepsLatest, capacity: max(4, 2 * group.entries.count))
        for entry in group.entries { made.append(entry) }
        return made
    }
}
