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
        case nothing
    }

    private let place: UnsafeMutablePointer<peal_directory_place>
    private let kind: Kind

    /// Prepares to insert an entry behind those of the same or a higher priority; in the group of its
    /// queue, if it has one.
    init(inserting entry: SnapshotEntry, in method: Method) throws(Failure) {
        place = method.place
        var list = ListDraft(peal_directory_current(place), of: method)
        if let mailbox = entry.record.pointee.mailbox {
            if let group = list.group(for: entry, on: mailbox), group.takes(entry) {
                kind = .appendToGroup(entry, group)
                return
            }
            try list.insert(entry, in: mailbox)
        } else {
            if list.takes(entry) {
                kind = .append(entry, to: list.origin)
                return
            }
            list.insert(entry)
        }
        kind = .replace(by: try list.make(withRoom: true))
    }

    /// Prepares to drop an entry. Where memory is short the entry stays, marked as removed, until the
    /// next change: a removal cannot fail.
    init(removing removed: UnsafeMutablePointer<ObserverRecord>, in method: Method) {
        place = method.place
        var list = ListDraft(peal_directory_current(place), of: method)
        do throws(Failure) {
            guard try list.remove(removed) else {
                kind = .nothing
                return
            }
            // A method with a completion tells its broadcasters also when there is nobody.
            let isNobody = list.isEmpty && !method.traits.hasCompletion
            kind = .replace(by: isNobody ? peal_directory_nobody(place) : try list.make(withRoom: false))
        } catch {
            kind = .nothing
        }
    }

    /// Publishes the change.
    ///
    /// - Returns: The list that was replaced, to be retired once the center's lock is released.
    func commit() -> Snapshot? {
        switch kind {
        case .append(let entry, let list):
            list.append(entry)
            return nil
        case .appendToGroup(let entry, let group):
            group.append(entry)
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
