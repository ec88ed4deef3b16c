internal import CPealSupport
import PealCall

/// The functions of observers for one protocol: peal's copies of the tables, and the lists that the observers join.
/// Observers with the same functions share one object.
final class ObserverTables: @unchecked Sendable {
    // Unchecked: the memory never changes.

    /// One method that the observers implement.
    struct Listing: @unchecked Sendable {
        // Unchecked: addresses that stay valid until the protocol removes the method.
        let element: MethodElement
        let function: UnsafeRawPointer
    }

    let proto: PealProtocol
    /// The methods that the observers implement.
    let methods: [Method]
    /// True if one of them is sticky.
    let isSticky: Bool
    /// The handler and its methods, if the observers have a handler.
    let handled: HandledMethods?
    /// The methods that the one observer implements besides, since its protocol has got them; nil for other observers.
    let later: LaterMethods?
    /// All required methods are among them.
    let isComplete: Bool
    /// Equal tables have equal hashes.
    let hash: UInt64
    /// The copy of the protocol's own table, which leads to those of the adopted protocols.
    let table: UnsafeRawPointer
    /// In the order of `methods`.
    let listings: UnsafeBufferPointer<Listing>
    /// The number of records that have the tables, and of those that may still get them: `advance`. While it is not
    /// zero, the tables retain themselves.
    private let recordCount: UnsafeMutablePointer<UInt32>
    /// The number of counts that were taken for later records. Guarded by the center's lock.
    @exclusivity(unchecked) private var advance: UInt32 = 0
    /// True while the protocol's shared tables have these, and end the advance when they drop them. Guarded by the
    /// center's lock.
    @exclusivity(unchecked) private var isShared = false

    init(
        _ functions: FunctionTables, of proto: PealProtocol, in state: borrowing CenterState,
        later: LaterMethods? = nil
    ) throws(Failure) {
        var methods: [Method] = []
        var size = 0
        var offsets = ProtocolMap<Int>()
        for member in proto.family {
            offsets[member] = size
            size += TableLayout.size(adoptedCount: member.adoptedCount, methodCount: state[member].ownCount)
            for method in state[member].all where functions.function(for: method) != nil { methods.append(method) }
        }
        let start = methods.count * MemoryLayout<Listing>.stride
        guard let memory = peal_memory_allocate(start + size + MemoryLayout<UInt32>.stride) else { throw .outOfMemory }
        let tables = offsets.mapValues { memory + start + $0 }
        for member in proto.family {
            guard let table = tables[member] else { continue }
            functions.write(
                member, to: table, tables: tables, methodCount: functions.tables[member]?.functions.count ?? 0)
        }
        let listings = memory.bindMemory(to: Listing.self, capacity: methods.count)
        for (index, method) in methods.enumerated() {
            guard let function = functions.function(for: method) else { continue }
            (listings + index).initialize(to: Listing(element: method.element, function: function))
        }
        self.proto = proto
        self.methods = methods
        isSticky = methods.contains { $0.lastCalls != nil }
        self.listings = UnsafeBufferPointer(start: listings, count: methods.count)
        table = UnsafeRawPointer(memory + start)
        recordCount = (memory + start + size).bindMemory(to: UInt32.self, capacity: 1)
        handled = functions.handled
        self.later = later
        isComplete = functions.missing(from: state[proto].all).isEmpty
        hash = TableContent.hash(table, of: proto) &+ UInt64(functions.handled?.address ?? 0)
    }

    deinit {
        peal_memory_free(UnsafeMutableRawPointer(mutating: listings.baseAddress))
    }

    // MARK: - Records

    // Registrations in a row have the same tables. So one atomic operation counts many records, and one releases those
    // that a collection frees.
    private static let batch: UInt32 = 32

    /// Counts a record that gets the tables. The caller must hold the center's lock.
    @inline(__always)
    func addRecord() {
        if advance == 0 { takeCounts() }
        advance &-= 1
    }

    @inline(never)
    private func takeCounts() {
        advance = isShared ? Self.batch : 1
        if peal_count_retain_first(recordCount, advance) { Borrowed(self).retain() }
    }

    /// Releases the tables for records that end.
    func removeRecords(_ count: UInt32) {
        if peal_count_release(recordCount, count) { Borrowed(self).release() }
    }

    /// Returns true if no record has the tables. The caller must hold the center's lock.
    var hasNoRecords: Bool { peal_count_load(recordCount) == advance }

    /// Permits counts for later records. The caller must hold the center's lock, and call `endAdvance` later.
    func beginAdvance() { isShared = true }

    /// Releases the counts for later records. The caller must hold the center's lock.
    func endAdvance() {
        isShared = false
        let unused = advance
        advance = 0
        if unused > 0 { removeRecords(unused) }
    }

    /// Returns true if the observers have the same functions for the same methods.
    func isEqual(to other: ObserverTables) -> Bool {
        if self === other { return true }
        guard hash == other.hash, proto == other.proto, handled?.address == other.handled?.address else { return false }
        if let handled, let others = other.handled,
            handled.methods.map({ $0.id }) != others.methods.map({ $0.id })
        {
            return false
        }
        return TableContent.isEqual(table, to: other.table, of: proto)
    }
}
