internal import CPealSupport

/// A change to one method's list, prepared so that carrying it out cannot fail.
///
/// Preparing allocates; committing publishes. A registration prepares the edits of all its methods
/// first, so a refused allocation leaves nothing half-registered.
struct SnapshotEdit {
    private enum Kind {
        case append(SnapshotEntry, to: Snapshot)
        case appendToGroup(SnapshotEntry, ObserverGroup.Pointer)
        case replace(by: Snapshot)
        /// The entry stays for now, marked as removed.
        case leave(in: Snapshot)
        case nothing
    }

    private let place: UnsafeMutablePointer<peal_directory_place>
    private let kind: Kind

    /// Prepares to insert an entry in its order; in the group of its queue, if it has one. A service keeps
    /// its place outside of groups: those count as calls.
    ///
    /// - Parameter replaced: Observers that leave the list by the same change.
    init(
        inserting entry: SnapshotEntry, replacing replaced: Set<UnsafeMutablePointer<ObserverRecord>> = [],
        in method: Method
    ) throws(Failure) {
        place = method.place
        let origin = peal_directory_current(place)
        // The most frequent first, without a look at the other entries: thousands may register in a row.
        if replaced.isEmpty, entry.record.pointee.mailbox == nil, ListDraft.takes(entry, behind: origin, of: method) {
            kind = .append(entry, to: origin)
            return
        }
        guard Self.canCopy(origin) else { throw .outOfMemory }
        var list = ListDraft(origin, of: method)
        if !replaced.isEmpty { list.drop(replaced) }
        if let mailbox = entry.record.pointee.mailbox, !entry.isLazy {
            if replaced.isEmpty, let group = list.group(for: entry, on: mailbox), group.takes(entry) {
                kind = .appendToGroup(entry, group)
                return
            }
            try list.insert(entry, in: mailbox)
        } else {
            list.insert(entry)
        }
        kind = .replace(by: try list.make(withRoom: true))
    }

    /// Prepares to drop an entry that is marked as removed. It may stay for a while: a list is made anew when it has
    /// many such entries, so a removal costs the same in a list of any length.
    static func removing(_ removed: UnsafeMutablePointer<ObserverRecord>, in method: Method) -> SnapshotEdit {
        guard maySkip(removed) else { return SnapshotEdit(dropping: removed, in: method) }
        let current = peal_directory_current(method.place)
        guard current != peal_directory_nobody(method.place) else { return SnapshotEdit(.nothing, in: method) }
        return current.isCrowdedByRemoved
            ? SnapshotEdit(droppingRemovedIn: method) : SnapshotEdit(.leave(in: current), in: method)
    }

    private init(_ kind: Kind, in method: Method) {
        place = method.place
        self.kind = kind
    }

    /// Prepares to drop an entry. Where memory is short the entry stays, marked as removed, until the
    /// next change: a removal cannot fail.
    private init(dropping removed: UnsafeMutablePointer<ObserverRecord>, in method: Method) {
        place = method.place
        let origin = peal_directory_current(place)
        guard Self.canCopy(origin) else {
            if removed.pointee.lazy != nil { origin.markPending() }
            kind = Self.emptied(origin, of: method)
            return
        }
        var list = ListDraft(origin, of: method)
        do throws(Failure) {
            guard try list.remove(removed) else {
                kind = .nothing
                return
            }
            // A method with a completion tells its broadcasters also when there is nobody.
            let isNobody = list.isEmpty && !method.traits.hasCompletion
            kind = .replace(by: isNobody ? peal_directory_nobody(place) : try list.make(withRoom: false))
        } catch {
            // The place of an instance that leaves is looked at again.
            if removed.pointee.lazy != nil { list.origin.markPending() }
            kind = .nothing
        }
    }

    /// Groups and services have more to do with those that leave.
    private static func maySkip(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        record.pointee.mailbox == nil && record.pointee.lazy == nil && peal_gate_load(record.gate) & ObserverGate.lazy == 0
    }

    /// Prepares to drop all that are marked as removed. Where memory is short they stay until the next
    /// change.
    init(droppingRemovedIn method: Method) {
        place = method.place
        let origin = peal_directory_current(place)
        guard Self.canCopy(origin) else {
            kind = Self.emptied(origin, of: method)
            return
        }
        var list = ListDraft(origin, of: method)
        list.dropRemoved()
        let isNobody = list.isEmpty && !method.traits.hasCompletion
        if origin == peal_directory_nobody(place) {
            kind = .nothing
        } else if isNobody {
            kind = .replace(by: peal_directory_nobody(place))
        } else {
            kind = (try? list.make(withRoom: false)).map { .replace(by: $0) } ?? .nothing
        }
    }

    /// Whether there is memory to take a list apart. That of a long list is more than the reserve has, so the system is
    /// asked first, where a refusal does no harm.
    private static func canCopy(_ list: Snapshot) -> Bool {
        let size = list.entries.count * MemoryLayout<SnapshotEntry>.stride
        guard size > 1 << 15 else { return true }
        let memory = peal_memory_allocate_unset(size)
        defer { peal_memory_free(memory) }
        return memory != nil
    }

    /// What becomes of a list that cannot be copied: it is dropped where all of it is marked as removed.
    private static func emptied(_ list: Snapshot, of method: Method) -> Kind {
        let isEmpty = list.groups.isEmpty && !method.traits.hasCompletion && list.entries.allSatisfy(\.isRemoved)
        return isEmpty ? .replace(by: peal_directory_nobody(method.place)) : .nothing
    }

    /// Publishes the change, and retires the list that it replaces. The caller must hold the center's lock.
    func commit() {
        switch kind {
        case .append(let entry, let list):
            list.append(entry)
        case .appendToGroup(let entry, let group):
            group.append(entry)
        case .replace(let list):
            let old = peal_directory_current(place)
            peal_directory_publish(place, list)
            if old != peal_directory_nobody(place) { Reclaimer.retire([.list(old)]) }
        case .leave(let list):
            peal_snapshot_note_removed(list)
        case .nothing:
            break
        }
    }

    /// Frees what was prepared and not published.
    func cancel() {
        // Nobody but this edit knows the list, and its entries are held by others.
        if case .replace(let list) = kind, list != peal_directory_nobody(place) {
            list.free()
        }
    }
}

extension Snapshot {
    /// Whether one more removed entry makes it worth while to make the list anew: short ones at once, others when a
    /// quarter is gone.
    fileprivate var isCrowdedByRemoved: Bool { count <= 8 || Int(pointee.removed + 1) * 4 > count }
}
