internal import CPealSupport
import PealCall

/// The observers of one method on one queue, in call order. Lists and waiting items have references to it.
enum ObserverGroup {
    typealias Pointer = UnsafeMutablePointer<peal_group>

    /// A group with one reference.
    ///
    /// - Parameter keepsLatest: True if a new call replaces a waiting one. The new one must reach all observers of the
    ///   other that have not ended.
    static func make(
        for method: Method, of entries: some Collection<SnapshotEntry>, keepsLatest: Bool
    ) throws(Failure) -> Pointer {
        guard let mailbox = entries.first?.record.mailbox else { throw .outOfMemory }
        let isIndexed = keepsLatest || mailbox.keepsLatest
        guard !isIndexed || peal_mailbox_make_extras(mailbox),
            let memory = peal_memory_allocate(peal_group_size(entries.count))
        else { throw .outOfMemory }
        let group = memory.bindMemory(to: peal_group.self, capacity: 1)
        group.pointee.references = 1
        group.pointee.method = method.id
        group.pointee.plan = UnsafeRawPointer(method.plan)
        group.pointee.copying = UnsafeRawPointer(method.copyPlan)
        group.pointee.mailbox = mailbox
        group.pointee.traits = method.traits.rawValue
        group.pointee.completion = UInt8(method.declaration.completionParameter.map { $0 + 1 } ?? 0)
        group.pointee.keeps_latest = keepsLatest
        group.pointee.is_indexed = isIndexed
        peal_mailbox_retain(mailbox)
        for (index, entry) in entries.enumerated() {
            peal_group_entry_at(group, index).initialize(to: entry)
            peal_observer_retain_memory(entry.record)
        }
        group.pointee.count = UInt32(entries.count)
        return group
    }

    /// Releases the references that waiting items have to a group.
    static func release(_ group: Pointer, items: UInt32 = 1) {
        if peal_group_release(group, items) { free(group) }
    }

    /// Releases the reference that a list has to a group. No thread protects the list any more.
    static func leave(_ group: Pointer) {
        // An item that was pushed while the list was protected has no reference of its own until a thread with the lock
        // moves it to the waiting items.
        group.pointee.mailbox.locked {}
        release(group)
    }

    private static func free(_ group: Pointer) {
        for entry in group.entries { ObserverLife.releaseMemory(entry.record) }
        peal_mailbox_release(group.pointee.mailbox)
        peal_memory_free(group)
    }
}

extension ObserverGroup.Pointer {
    var entries: UnsafeBufferPointer<SnapshotEntry> {
        UnsafeBufferPointer(start: peal_group_entry_at(self, 0), count: Int(peal_group_count(self)))
    }

    /// The number of observers that an item of this many entries calls.
    func called(_ count: Int, besides excepted: UInt64) -> Int {
        entries.prefix(count).count { $0.record.pointee.id != excepted }
    }

    /// The number of these observers whose results or answers count.
    func answering(_ count: Int, besides excepted: UInt64) -> Int {
        entries.prefix(count).count { $0.answers(besides: excepted) }
    }

    /// Returns true if none of the entries is called any more. The caller must hold the mailbox's lock.
    var isDead: Bool {
        let entries = self.entries
        var ended = Int(pointee.ended)
        // An observer that has ended does not begin again, so each entry is tested once.
        while ended < entries.count, entries[ended].isRemoved(for: pointee.method) { ended += 1 }
        pointee.ended = UInt32(ended)
        return ended == entries.count
    }
}
