internal import CPealSupport
import PealCall

/// The observers of one method on one queue, in call order. Lists have it, and items that wait.
enum ObserverGroup {
    typealias Pointer = UnsafeMutablePointer<peal_group>

    /// An empty group, with one reference.
    static func make(
        for method: Method, on mailbox: Mailbox, keepsLatest: Bool, capacity: Int
    ) throws(Failure) -> Pointer {
        guard capacity <= Int(UInt32.max), let memory = peal_memory_allocate(peal_group_size(capacity))
        else { throw .outOfMemory }
        let group = memory.bindMemory(to: peal_group.self, capacity: 1)
        group.pointee.references = 1
        group.pointee.method = method.number
        group.pointee.plan = UnsafeRawPointer(method.plan)
        group.pointee.copying = UnsafeRawPointer(method.copyPlan)
        group.pointee.mailbox = mailbox
        group.pointee.traits = method.traits.rawValue
        group.pointee.completion = UInt8(method.declaration.completionParameter.map { $0 + 1 } ?? 0)
        group.pointee.capacity = UInt32(capacity)
        group.pointee.keeps_latest = keepsLatest
        peal_mailbox_retain(mailbox)
        return group
    }

    /// Releases a group for items that were taken in.
    static func release(_ group: Pointer, items: UInt32 = 1) {
        if peal_group_release(group, items) { free(group) }
    }

    /// Releases a group for a list that nobody holds any more.
    static func leave(_ group: Pointer) {
        // What was pushed while the list was held has no reference of its own until it is taken in.
        group.pointee.mailbox.locked {}
        release(group)
    }

    private static func free(_ group: Pointer) {
        for entry in group.entries { ObserverLife.disown(entry.record) }
        peal_mailbox_release(group.pointee.mailbox)
        peal_memory_free(group)
    }
}

extension ObserverGroup.Pointer {
    var entries: UnsafeBufferPointer<SnapshotEntry> {
        UnsafeBufferPointer(start: peal_group_entry_at(self, 0), count: Int(peal_group_count(self)))
    }

    /// Whether an entry may be put behind the others, which are there already.
    func takes(_ entry: SnapshotEntry) -> Bool {
        pointee.count < pointee.capacity && !entry.isOfLazy && (entries.last?.comes(before: entry) ?? true)
    }

    func append(_ entry: SnapshotEntry) {
        let count = peal_group_count(self)
        peal_group_entry_at(self, Int(count)).initialize(to: entry)
        peal_observer_own(entry.record)
        peal_group_set_count(self, count + 1)
    }

    /// Whether none of the first entries is to be called any more.
    func isDead(_ count: Int) -> Bool {
        let method = pointee.method
        return entries.prefix(count).allSatisfy { $0.isRemoved(for: method) }
    }
}
