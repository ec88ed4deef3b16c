internal import CPealSupport

/// An observer's record and peal's copies of its tables, in one allocation.
struct ObserverMemory {
    let record: UnsafeMutablePointer<ObserverRecord>
    private let tables: ProtocolMap<UnsafeMutableRawPointer>

    /// Allocates and fills. The record holds the reference of its registration.
    init(
        _ registration: Registration, functions: FunctionTables, in state: borrowing CenterState
    ) throws(Failure) {
        let family = registration.proto.family
        var size = MemoryLayout<ObserverRecord>.size.roundedUp(to: TableLayout.word)
        let handlerPlace = size
        if let handled = functions.handled { size += handled.size }
        var offsets = ProtocolMap<Int>()
        for proto in family {
            offsets[proto] = size
            size += TableLayout.size(adoptedCount: proto.adopted.count, methodCount: state[proto].own.count)
        }
        guard let memory = peal_memory_allocate(size) else { throw .outOfMemory }
        tables = offsets.mapValues { memory + $0 }
        record = memory.bindMemory(to: ObserverRecord.self, capacity: 1)
        record.begin(
            gate: registration.gate, target: registration.target, destroy: registration.destroy,
            owner: registration.owner, weak: registration.weak)
        record.pointee.priority = registration.priority
        record.pointee.keeps_latest = registration.keepsLatest
        record.pointee.mailbox = registration.queue?.mailbox
        registration.queue.map { peal_mailbox_retain($0.mailbox) }
        record.pointee.handler = functions.handled?.write(to: memory + handlerPlace, target: registration.target)
        for proto in family { fill(proto, from: functions) }
    }

    private func fill(_ proto: PealProtocol, from functions: FunctionTables) {
        guard let table = tables[proto] else { return }
        functions.write(proto, to: table, tables: tables, methodCount: functions.tables[proto]?.functions.count ?? 0)
    }

    /// What a list holds of the observer for one of its methods, or nil when it lacks the method.
    func entry(for method: Method, functions: FunctionTables) -> SnapshotEntry? {
        guard let function = functions.function(for: method), let table = tables[method.origin] else { return nil }
        return SnapshotEntry(
            function: unsafeBitCast(function, to: (@convention(c) () -> Void).self),
            target: record.pointee.handler.map { peal_handler_self($0) } ?? record.pointee.target,
            gate: UnsafeMutableRawPointer(record).assumingMemoryBound(to: UInt32.self),
            table: UnsafeRawPointer(table))
    }

    /// Of a registration that failed.
    func free() {
        ObserverLife.disown(record)
    }
}
