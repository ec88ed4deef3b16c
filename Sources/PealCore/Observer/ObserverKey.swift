internal import CPealSupport

/// The key that distinguishes the observers of one protocol. It consists of the queue and the target. A service or the
/// functions replace a missing target. A handler is part of the key too.
struct ObserverKey {
    private let target: UInt
    private let handler: UInt
    /// 0: no placeholder of a service.
    private let service: UInt64
    private let queue: UInt64
    /// The caller retains the tables.
    private let tables: Borrowed<ObserverTables>
    private let hash: Hash

    /// The hash of the target, or of what replaces it.
    struct Hash {
        let value: UInt32
        /// True if the key has a target or a service.
        let isOfTarget: Bool

        @inline(__always)
        init(_ registration: inout Registration, _ tables: Borrowed<ObserverTables>) {
            if let target = registration.target, registration.lazy == nil {
                value = ObserverKey.hash(ofTarget: target)
                isOfTarget = true
            } else {
                value = ObserverKey.hash(ofRare: &registration, tables)
                isOfTarget = registration.lazy != nil
            }
        }
    }

    init(_ registration: inout Registration, _ tables: Borrowed<ObserverTables>) {
        target = UInt(bitPattern: registration.target)
        handler = tables.with { $0.handled?.address ?? 0 }
        service = registration.lazy?.service.id ?? 0
        queue = registration.queue?.id ?? 0
        self.tables = tables
        hash = Hash(&registration, tables)
    }

    @inline(never)
    private static func hash(
        ofRare registration: inout Registration, _ tables: Borrowed<ObserverTables>
    ) -> UInt32 {
        hash(registration.lazy?.service.id ?? 0, tables.with { $0.handled?.address ?? 0 }, tables)
    }

    /// The hash of a key without a target.
    private static func hash(
        _ service: UInt64, _ handler: UInt, _ tables: Borrowed<ObserverTables>
    ) -> UInt32 {
        if service != 0 { return hash(service) }
        return handler != 0 ? hash(handler) : hash(tables.with { $0.hash })
    }

    /// The hash of the keys of all observers with a target.
    static func hash(ofTarget target: UnsafeRawPointer) -> UInt32 { hash(UInt(bitPattern: target)) }

    /// The hash of an observer's key.
    @inline(__always)
    static func hash(of record: Observer) -> UInt32 {
        if !record.isPlaceholder, let target = record.pointee.target { return hash(ofTarget: target) }
        return hashOfRare(record)
    }

    @inline(never)
    private static func hashOfRare(_ record: Observer) -> UInt32 {
        let tables = record.borrowedTables
        return hash(
            record.lazyObserver?.service.id ?? 0, tables.with { $0.handled?.address ?? 0 }, tables)
    }

    /// 2 to the power of 64, divided by the golden ratio. (Knuth: multiplicative hashing.)
    static let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15

    private static func hash(_ word: some UnsignedInteger & FixedWidthInteger) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(word) &* multiplier) >> 32)
    }

    /// The observers with equal keys. An observer that another thread is removing is no duplicate.
    func duplicates(in proto: PealProtocol) -> [Observer] {
        var found: [Observer] = []
        let observers = proto.state.observers
        (hash.isOfTarget ? observers.targeted : observers.untargeted).forEach(hash.value) { record in
            if matches(record), !ObserverGate.isEnding(record.gate) { found.append(record) }
        }
        return found
    }

    private func matches(_ record: Observer) -> Bool {
        guard (record.mailbox?.pointee.id ?? 0) == queue,
            (record.lazyObserver?.service.id ?? 0) == service
        else { return false }
        if service != 0 { return true }
        guard UInt(bitPattern: record.pointee.target) == target,
            UInt(bitPattern: record.tables.handled?.function) == handler
        else { return false }
        return target != 0 || handler != 0 || record.tables.isEqual(to: tables.object)
    }
}
