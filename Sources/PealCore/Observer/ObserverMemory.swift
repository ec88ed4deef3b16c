internal import CPealSupport

extension UnsafeMutablePointer<ObserverRecord> {
    /// Allocates and fills an observer's record, which has the reference of its registration. The handler of an observer
    /// with one is in the same allocation.
    static func make(_ registration: Registration, _ tables: ObserverTables) throws(Failure) -> Self {
        let size = MemoryLayout<ObserverRecord>.size.roundedUp(to: TableLayout.word)
        guard let memory = peal_memory_allocate(size + (tables.handled?.size ?? 0)) else { throw .outOfMemory }
        let record = memory.bindMemory(to: ObserverRecord.self, capacity: 1)
        record.begin(
            gate: registration.gate, target: registration.target, destroy: registration.destroy,
            owner: registration.owner, weak: registration.weak)
        record.pointee.priority = registration.priority
        record.pointee.keeps_latest = registration.keepsLatest
        if let queue = registration.queue {
            record.pointee.mailbox = queue.mailbox
            peal_mailbox_retain(queue.mailbox)
        }
        record.pointee.handler = tables.handled?.write(to: memory + size, target: registration.target)
        return record
    }

    /// The target that its functions get.
    fileprivate var calledTarget: UnsafeMutableRawPointer? {
        pointee.handler.map { peal_handler_self($0) } ?? pointee.target
    }
}

extension ObserverTables.Listing {
    /// What the list has of an observer.
    func entry(of record: UnsafeMutablePointer<ObserverRecord>) -> SnapshotEntry {
        SnapshotEntry(
            function: unsafeBitCast(function, to: (@convention(c) () -> Void).self), target: record.calledTarget,
            gate: record.gate, table: table)
    }
}
