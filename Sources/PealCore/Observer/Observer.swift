internal import CPealSupport

/// An observer's record. Its strong count keeps the observer from ending, its weak count keeps the memory: see
/// README.md.
typealias Observer = UnsafeMutablePointer<ObserverRecord>

extension Observer {
    /// Makes and fills the record of a registration, with the reference of the registration. Most records have no extras,
    /// and are in the slot of their handle. The extras of others follow in the same allocation.
    @inline(__always)
    static func make(
        _ registration: inout Registration, _ tables: Borrowed<ObserverTables>
    ) throws(Failure) -> Observer {
        let extras = tables.with { $0.handled == nil } ? registration.extras : UInt8(PEAL_EXTRAS_ALL)
        guard extras == UInt8(PEAL_EXTRAS_NONE) else { return try make(&registration, tables, extras: extras) }
        let (record, id) = try Handles.observations.take()
        record.initialize(to: ObserverRecord())
        record.pointee.id = id
        record.begin(
            gate: registration.gate, extras: extras, target: registration.target, destroy: registration.destroy)
        record.begin(registration, tables)
        return record
    }

    @inline(__always)
    private func begin(_ registration: borrowing Registration, _ tables: Borrowed<ObserverTables>) {
        pointee.priority = registration.priority
        pointee.tables = tables.address
        tables.with { $0.addRecord() }
        guard !registration.options.isDisjoint(with: [.keepsLatest, .passive]) else { return }
        let isPassive = registration.options.contains(.passive)
        pointee.marks =
            (registration.options.contains(.keepsLatest) ? UInt8(PEAL_OBSERVER_KEEPS_LATEST.rawValue) : 0)
            | (isPassive ? UInt8(PEAL_OBSERVER_PASSIVE.rawValue) | UInt8(PEAL_OBSERVER_EXAMINED.rawValue) : 0)
    }

    @inline(never)
    private static func make(
        _ registration: inout Registration, _ tables: Borrowed<ObserverTables>, extras: UInt8
    ) throws(Failure) -> Observer {
        let handled = tables.with { $0.handled }
        let size = MemoryLayout<ObserverRecord>.size + peal_observer_extras_size(extras)
        guard let memory = peal_memory_allocate(size + (handled?.size ?? 0)) else { throw .outOfMemory }
        let record = memory.bindMemory(to: ObserverRecord.self, capacity: 1)
        record.begin(
            gate: registration.gate, extras: extras, target: registration.target, destroy: registration.destroy,
            owner: registration.owner, weak: registration.weak)
        record.begin(registration, tables)
        if handled != nil { record.pointee.marks |= UInt8(PEAL_OBSERVER_EXAMINED.rawValue) }
        if registration.weak?.isCounted == true { record.pointee.marks |= UInt8(PEAL_OBSERVER_COUNTED.rawValue) }
        guard let delivery = record.delivery else { return record }
        if let queue = registration.queue {
            delivery.pointee.mailbox = queue.mailbox
            peal_mailbox_retain(queue.mailbox)
        }
        record.keep(registration.queue, registration.owner)
        guard let rare = record.rareExtras else { return record }
        if let lazy = registration.lazy { cell(peal_observer_lazy(rare)).initialize(to: lazy) }
        rare.pointee.handler = handled?.write(
            to: UnsafeMutableRawPointer(record) + size, target: registration.target)
        return record
    }

    /// Its target is the object of a `Reference`.
    var isCounted: Bool { has(PEAL_OBSERVER_COUNTED) }
    /// On its queue only the latest call of a method waits.
    var keepsLatest: Bool { has(PEAL_OBSERVER_KEEPS_LATEST) }
    /// True if the observer's results do not count.
    var isPassive: Bool { has(PEAL_OBSERVER_PASSIVE) }
    /// Each of its calls must be examined: the result may not count.
    var isExamined: Bool { has(PEAL_OBSERVER_EXAMINED) }

    private func has(_ mark: peal_observer_marks) -> Bool { pointee.marks & UInt8(mark.rawValue) != 0 }

    /// Retains the queue and the owner of a record with extras.
    func keep(_ queue: Queue?, _ owner: Owner?) {
        if let queue, let delivery { Self.cell(peal_observer_queue(delivery)).initialize(to: queue) }
        if let owner, let extras { Self.cell(peal_observer_owner(extras)).initialize(to: owner) }
    }

    // A record has objects of Swift by references that it owns. No other code writes them. Inlined: generic code
    // would read the metadata of each type for its reference counting.
    @inline(__always)
    private static func cell<Object: AnyObject>(
        _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> UnsafeMutablePointer<Object?> {
        UnsafeMutableRawPointer(address).assumingMemoryBound(to: Object?.self)
    }

    var tables: ObserverTables { borrowedTables.object }

    /// The tables, which the record counts. The target of a proxy and a timer have none.
    var borrowedTables: Borrowed<ObserverTables> { Borrowed(at: pointee.tables.unsafelyUnwrapped) }

    var proto: PealProtocol { tables.proto }

    /// The extras of an observer with a queue, and of each observer with any other extras.
    var delivery: UnsafeMutablePointer<peal_observer_delivery>? { peal_observer_delivery_of(self) }

    /// The extras of an observer that is weak or has an owner, and of each observer with rare extras.
    var extras: UnsafeMutablePointer<peal_observer_extras>? { peal_observer_extras_of(self) }

    var rareExtras: UnsafeMutablePointer<peal_observer_rare_extras>? { peal_observer_rare_extras_of(self) }

    var queue: Queue? { delivery.flatMap { Self.cell(peal_observer_queue($0)).pointee } }

    var owner: Owner? { extras.flatMap { Self.cell(peal_observer_owner($0)).pointee } }

    /// The state of an observer that names a service. This record is then the placeholder.
    var lazyObserver: LazyObserver? { rareExtras.flatMap { Self.cell(peal_observer_lazy($0)).pointee } }

    /// Releases the objects, before the memory is freed.
    func releaseObjects() {
        if pointee.tables != nil { borrowedTables.with { $0.removeRecords(1) } }
        guard let delivery else { return }
        // `move` instead of `deinitialize`, which would read the metadata of each type.
        let queue: UnsafeMutablePointer<Queue?> = Self.cell(peal_observer_queue(delivery))
        _ = queue.move()
        releaseOwner()
        guard let rareExtras else { return }
        let lazy: UnsafeMutablePointer<LazyObserver?> = Self.cell(peal_observer_lazy(rareExtras))
        _ = lazy.move()
    }

    /// Frees the memory of an observer.
    func free() {
        if pointee.extras == UInt8(PEAL_EXTRAS_NONE) {
            Handles.observations.free(self)
        } else {
            peal_memory_free(self)
        }
    }

    /// Releases the owner alone, before the memory of a timer is freed.
    func releaseOwner() {
        guard let extras else { return }
        let owner: UnsafeMutablePointer<Owner?> = Self.cell(peal_observer_owner(extras))
        _ = owner.move()
    }

    var mailbox: Mailbox? { delivery?.pointee.mailbox }

    /// The handle of its owner; 0: none.
    var ownerId: UInt64 { extras?.pointee.owner ?? 0 }

    /// The lazy registration of a service's instance.
    var placeholder: Observer? { rareExtras?.pointee.lazy }

    var isPlaceholder: Bool { rareExtras?.pointee.lazy_observer != nil }

    var handler: UnsafePointer<peal_observer_handler>? { rareExtras?.pointee.handler }

    /// The gate is the record's first member.
    var gate: UnsafeMutablePointer<UInt32> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: UInt32.self) }

    var isWeak: Bool { extras?.pointee.retain != nil }

    /// Releases a weak target that was retained.
    func releaseTarget() {
        guard let extras else { return }
        extras.pointee.release?(extras.pointee.reference, pointee.target)
    }

    /// Returns true for the instance of a placeholder, which has no handle of its own.
    var isInstance: Bool { placeholder != nil }

    /// Higher priorities first, then earlier registrations.
    var callOrder: SortKey { SortKey(UInt64(Int64(Int32.max) - Int64(pointee.priority)), pointee.order) }

    /// The target that the observer's functions receive.
    fileprivate var calledTarget: UnsafeMutableRawPointer? {
        handler.map { peal_handler_self($0) } ?? pointee.target
    }
}

extension ObserverTables.Listing {
    /// The list entry of an observer.
    func entry(of record: Observer) -> SnapshotEntry {
        SnapshotEntry(
            function: unsafeBitCast(function, to: (@convention(c) () -> Void).self), target: record.calledTarget,
            gate: record.gate)
    }
}
