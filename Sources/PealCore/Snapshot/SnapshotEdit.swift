internal import CPealSupport

/// A change to one method's list, prepared so that carrying it out cannot fail.
///
/// Preparing allocates; committing publishes. A registration prepares the edits of all its methods
/// first, so a refused allocation leaves nothing half-registered.
struct SnapshotEdit {
    private enum Kind {
        case append(SnapshotEntry, to: Snapshot)
        case replace(by: Snapshot)
        case nothing
    }

    private let place: UnsafeMutablePointer<peal_directory_place>
    private let kind: Kind

    /// Prepares to insert an entry behind those of the same or a higher priority.
    init(inserting entry: SnapshotEntry, in method: Method) throws(Failure) {
        place = method.place
        let current = peal_directory_current(place)
        if current != peal_directory_nobody(place), current.hasRoom,
            current.entries.last.map({ $0.record.pointee.priority >= entry.record.pointee.priority }) ?? true
        {
            kind = .append(entry, to: current)
            return
        }
        let kept = Self.kept(of: current, without: nil)
        let position =
            kept.firstIndex { $0.record.pointee.priority < entry.record.pointee.priority } ?? kept.count
        let list = try Snapshot.make(for: method, capacity: max(4, 2 * (kept.count + 1)))
        for kept in kept[..<position] { list.append(kept) }
        list.append(entry)
        for kept in kept[position...] { list.append(kept) }
        kind = .replace(by: list)
    }

    /// Prepares to drop an entry. Where memory is short the entry stays, marked as removed, until the
    /// next change: a removal cannot fail.
    init(removing removed: UnsafeMutablePointer<ObserverRecord>, in method: Method) {
        place = method.place
        let current = peal_directory_current(place)
        let kept = Self.kept(of: current, without: removed)
        if kept.count == current.count {
            kind = .nothing
        } else if kept.isEmpty {
            kind = .replace(by: peal_directory_nobody(place))
        } else if let list = try? Snapshot.make(for: method, capacity: kept.count + kept.count / 2) {
            for kept in kept { list.append(kept) }
            kind = .replace(by: list)
        } else {
            kind = .nothing
        }
    }

    private static func kept(
        of list: Snapshot, without removed: UnsafeMutablePointer<ObserverRecord>?
    ) -> [SnapshotEntry] {
        list.entries.filter { $0.record != removed && !$0.isRemoved }
    }

    /// Publishes the change.
    ///
    /// - Returns: The list that was replaced, to be retired once the center's lock is released.
    func commit() -> Snapshot? {
        switch kind {
        case .append(let entry, let list):
            list.append(entry)
            return nil
        case .replace(let list):
            let old = peal_directory_current(place)
            peal_directory_publish(place, list)
            return old == peal_directory_nobody(place) ? nil : old
        case .nothing:
            return nil
        }
    }

    /// Frees what was prepared and not published.
    func cancel() {
        // Nobody but this edit knows the list, and its entries are held by others.
        if case .replace(let list) = kind, list != peal_directory_nobody(place) {
            _ = list.free()
        }
    }
}
