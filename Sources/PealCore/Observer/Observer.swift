internal import CPealSupport

/// An observer's record. Its strong count keeps the observer from ending, its weak count keeps the memory: see README.md.
typealias Observer = UnsafeMutablePointer<ObserverRecord>

extension Observer {
    /// Allocates and fills the record of a registration, with the reference of the registration. The handler of an
    /// observer with one is in the same allocation.
    static func make(_ registration: borrowing Registration, _ tables: ObserverTables, _ key: ObserverKey) throws(Failure) -> Observer {
        let size = MemoryLayout<ObserverRecord>.size.roundedUp(to: TableLayout.word)
        guard let memory = peal_memory_allocate(size + (tables.handled?.size ?? 0)) else { throw .outOfMemory }
        let record = memory.bindMemory(to: ObserverRecord.self, capacity: 1)
        record.begin(
            gate: registration.gate, target: registration.target, destroy: registration.destroy,
            owner: registration.owner, weak: registration.weak)
        record.pointee.priority = registration.priority
        record.pointee.keeps_latest = registration.keepsLatest
        record.pointee.hash = key.hash
        if let queue = registration.queue {
            record.pointee.mailbox = queue.mailbox
            peal_mailbox_retain(queue.mailbox)
            cell(peal_observer_queue(record)).pointee = queue
        }
        cell(peal_observer_tables(record)).pointee = tables
        if let owner = registration.owner { cell(peal_observer_owner(record)).pointee = owner }
        if let lazy = registration.lazy { cell(peal_observer_lazy(record)).pointee = lazy }
        record.pointee.handler = tables.handled?.write(to: memory + size, target: registration.target)
        return record
    }

    // A record has objects of Swift by references that it owns. No other code writes them.
    private static func cell<Object: AnyObject>(
        _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> UnsafeMutablePointer<Object?> {
        UnsafeMutableRawPointer(address).assumingMemoryBound(to: Object?.self)
    }

    /// Nil for a timer, and for the target of a proxy.
    var knownTables: ObserverTables? { Self.cell(peal_observer_tables(self)).pointee }

    var tables: ObserverTables { knownTables.unsafelyUnwrapped }

    var proto: PealProtocol { tables.proto }

    var queue: Queue? { Self.cell(peal_observer_queue(self)).pointee }

    var owner: Owner? { Self.cell(peal_observer_owner(self)).pointee }

    /// For an observer that names a service: it is the placeholder of the instance.
    var lazyObserver: LazyObserver? { Self.cell(peal_observer_lazy(self)).pointee }

    /// Releases the objects, before the memory is freed.
    func releaseObjects() {
        guard pointee.tables != nil else { return }
        let tables: UnsafeMutablePointer<ObserverTables?> = Self.cell(peal_observer_tables(self))
        tables.pointee = nil
        guard pointee.mailbox != nil || pointee.owner != 0 || pointee.lazy_observer != nil else { return }
        let queue: UnsafeMutablePointer<Queue?> = Self.cell(peal_observer_queue(self))
        queue.pointee = nil
        let owner: UnsafeMutablePointer<Owner?> = Self.cell(peal_observer_owner(self))
        owner.pointee = nil
        let lazy: UnsafeMutablePointer<LazyObserver?> = Self.cell(peal_observer_lazy(self))
        lazy.pointee = nil
    }

    /// The gate is the record's first member.
    var gate: UnsafeMutablePointer<UInt32> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: UInt32.self) }

    var isWeak: Bool { pointee.retain != nil }

    /// Returns true for the instance of a placeholder, which has no handle of its own.
    var isInstance: Bool { pointee.lazy != nil }

    func isCalled(before other: Observer) -> Bool {
        pointee.priority == other.pointee.priority
            ? pointee.order < other.pointee.order : pointee.priority > other.pointee.priority
    }

    /// The target that its functions get.
    fileprivate var calledTarget: UnsafeMutableRawPointer? {
        pointee.handler.map { peal_handler_self($0) } ?? pointee.target
    }
}

extension ObserverTables.Listing {
    /// What the list has of an observer.
    func entry(of record: Observer) -> SnapshotEntry {
        SnapshotEntry(
            function: unsafeBitCast(function, to: (@convention(c) () -> Void).self), target: record.calledTarget,
            gate: record.gate, table: table)
    }
}
