internal import CPealSupport

/// Observers of a protocol, found by the hashes of their keys. Guarded by the center's lock.
///
/// A table with open addressing and linear probing. Its elements have the hashes, so neither a search nor a growth reads
/// the records of other observers, which would be a cache miss each. (Knuth: The Art of Computer Programming, 6.4.)
///
/// Observers whose keys have one hash are numbered: these numbers are their *occurrences*, from 0 on. Each occurrence has
/// another place in the table. So a registration and a removal take the logarithm of their number, and not that number.
struct ObserverIndex {
    fileprivate struct Element {
        /// The hash of the key and the occurrence.
        var hash: UInt32
        /// The slot of the observer's handle, plus one, and `shared`; 0: the element is free.
        var slot: UInt32

        /// Marks the first of several occurrences.
        static let shared: UInt32 = 1 << 31
    }

    /// The position of an observer with a key in the table. It is valid until an element is added or removed.
    struct Position {
        fileprivate let element: UnsafeMutablePointer<Element>
        fileprivate let key: UInt32

        /// Another observer's key has the hash.
        var isTaken: Bool { element.pointee.slot != 0 }
    }

    private var elements: UnsafeMutablePointer<Element>?
    /// A power of two.
    private var capacity: UInt32 = 0
    private(set) var count: UInt32 = 0

    private static let minimumCapacity: UInt32 = 8
    /// A table of 256 KiB, which fits in the second cache of most processors.
    private static let cachedCapacity: UInt32 = 1 << 15

    /// Makes room for one more observer, and finds its position. At most three of four elements are occupied, so a
    /// search reads few of them. At least one element stays free, which ends a search.
    ///
    /// - Parameter key: The hash of its key.
    @inline(__always)
    mutating func reserve(_ key: UInt32) throws(Failure) -> Position {
        if count >= capacity &- capacity / 4 { try grow() }
        let elements = elements.unsafelyUnwrapped
        let index = search(elements, key) { Self.isOf(key, 0, $0) }
        return Position(element: elements + Int(index), key: key)
    }

    @inline(never)
    private mutating func grow() throws(Failure) {
        let wanted = max(Self.minimumCapacity, capacity * 2)
        let size = Self.size(wanted)
        guard let memory = peal_memory_allocate_large(size, Self.largeSize) else { throw .outOfMemory }
        // Otherwise the system would map each page twice: when a search reads it, and at the first write.
        if size >= Self.manyPages { peal_memory_populate(memory, size) }
        let (outgrown, outgrownCapacity) = (elements, capacity)
        elements = memory.bindMemory(to: Element.self, capacity: Int(wanted))
        capacity = wanted
        for index in 0..<Int(outgrownCapacity) {
            if let element = outgrown?[index], element.slot != 0 { place(element) }
        }
        peal_memory_free_large(outgrown, Self.size(outgrownCapacity), Self.largeSize)
    }

    private static var largeSize: Int { PEAL_MEMORY_LARGE_TABLE }
    private static var manyPages: Int { 1 << 16 }

    private static func size(_ capacity: UInt32) -> Int { Int(capacity) * MemoryLayout<Element>.stride }

    /// The caller must have made the observer's handle.
    @inline(__always)
    mutating func insert(_ record: Observer, at position: Position) {
        count &+= 1
        if position.isTaken { return insertOccurrence(record, position) }
        position.element.pointee = Element(hash: position.key, slot: Self.slot(of: record))
    }

    /// Adds an observer whose key has the hash of others.
    @inline(never)
    private func insertOccurrence(_ record: Observer, _ first: Position) {
        first.element.pointee.slot |= Element.shared
        let occurrence = occurrences(of: first.key)
        peal_observer_set_occurrence(record, occurrence)
        place(Element(hash: Self.hash(first.key, occurrence), slot: Self.slot(of: record)))
    }

    /// Returns false if the observer is not in the index.
    @inline(__always)
    mutating func remove(_ record: Observer) -> Bool {
        let key = ObserverKey.hash(of: record)
        let hash = Self.hash(key, record.pointee.occurrence)
        let slot = Self.slot(of: record)
        guard let elements, let index = find(hash, where: { $0 & ~Element.shared == slot }) else { return false }
        count &-= 1
        if record.pointee.occurrence == 0, elements[Int(index)].slot == slot {
            free(index)
        } else {
            removeShared(key, record.pointee.occurrence, at: index)
        }
        return true
    }

    /// Prefetches the element at which a search for an observer begins.
    ///
    /// - Returns: False if the index is so small that its elements are in the cache.
    @inline(__always)
    func prefetchIfLarge(_ record: Observer) -> Bool {
        guard capacity > Self.cachedCapacity else { return false }
        prefetch(Self.hash(ObserverKey.hash(of: record), record.pointee.occurrence))
        return true
    }

    /// Prefetches the element at which a search for a key begins, if the index is large.
    @inline(__always)
    func prefetchIfLarge(_ key: UInt32) {
        if capacity > Self.cachedCapacity { prefetch(key) }
    }

    @inline(__always)
    private func prefetch(_ hash: UInt32) {
        if let elements { peal_prefetch(elements + Int(hash & (capacity &- 1))) }
    }

    mutating func removeAll() {
        peal_memory_free_large(elements, Self.size(capacity), Self.largeSize)
        self = ObserverIndex()
    }

    /// Visits the observers whose keys have a hash.
    func forEach(_ key: UInt32, _ body: (Observer) -> Void) {
        var occurrence: UInt32 = 0
        while let elements, let index = find(key, occurrence) {
            body(Self.record(elements[Int(index)].slot))
            occurrence += 1
        }
    }

    /// All observers, in no order.
    var all: [Observer] {
        if count > Self.cachedCapacity / 2 { return allByPart }
        var all: [Observer] = []
        all.reserveCapacity(Int(count))
        forEachSlot { all.append(Self.record($0)) }
        return all
    }

    /// All observers, grouped by neighbouring slots of their handles. A caller that ends all of them, and a thread that
    /// uses their slots again, then have few cache misses. The index must not be empty.
    private var allByPart: [Observer] {
        // Sorted by counting (Knuth: The Art of Computer Programming, 5.2), into at most as many parts as observers.
        var highest: UInt32 = 0
        forEachSlot { highest = max(highest, $0) }
        var shift = UInt32(PEAL_SLOT_FIRST_BITS)
        while highest >> shift >= count { shift += 1 }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: Int(highest >> shift) + 1) { ends in
            ends.initialize(repeating: 0)
            forEachSlot { ends[Int($0 >> shift)] += 1 }
            for part in ends.indices.dropFirst() { ends[part] += ends[part - 1] }
            return [Observer](unsafeUninitializedCapacity: Int(count)) { all, filled in
                forEachSlot { slot in
                    ends[Int(slot >> shift)] -= 1
                    all.initializeElement(at: ends[Int(slot >> shift)], to: Self.record(slot))
                }
                filled = Int(count)
            }
        }
    }

    @inline(__always)
    private func forEachSlot(_ body: (UInt32) -> Void) {
        guard let elements else { return }
        for index in 0..<Int(capacity) where elements[index].slot != 0 {
            body(elements[index].slot & ~Element.shared)
        }
    }

    // MARK: - Occurrences

    @inline(__always)
    private static func hash(_ key: UInt32, _ occurrence: UInt32) -> UInt32 {
        // Most keys are of one observer.
        if occurrence == 0 { return key }
        return UInt32(truncatingIfNeeded: ((UInt64(key) << 32 | UInt64(occurrence)) &* ObserverKey.multiplier) >> 32)
    }

    @inline(__always)
    private static func slot(of record: Observer) -> UInt32 { peal_id_index(record.pointee.id) &+ 1 }

    private static func record(_ slot: UInt32) -> Observer {
        Handles.observations.record(at: (slot & ~Element.shared) &- 1)
    }

    /// The index of an observer's element; nil if no key with the hash has so many observers.
    @inline(__always)
    private func find(_ key: UInt32, _ occurrence: UInt32) -> UInt32? {
        find(Self.hash(key, occurrence)) { Self.isOf(key, occurrence, $0) }
    }

    // Not inlined, because the elements that a search passes have other hashes.
    @inline(never)
    private static func isOf(_ key: UInt32, _ occurrence: UInt32, _ slot: UInt32) -> Bool {
        let record = record(slot)
        return record.pointee.occurrence == occurrence && ObserverKey.hash(of: record) == key
    }

    /// The number of observers whose keys have a hash. At least one must have it.
    private func occurrences(of key: UInt32) -> UInt32 {
        var (known, end): (UInt32, UInt32) = (0, 1)
        while find(key, end) != nil { (known, end) = (end, end * 2) }
        while end - known > 1 {
            let middle = known + (end - known) / 2
            if find(key, middle) != nil { known = middle } else { end = middle }
        }
        return end
    }

    /// Removes one of several occurrences. They stay consecutive, because the last one takes its place.
    @inline(never)
    private func removeShared(_ key: UInt32, _ occurrence: UInt32, at index: UInt32) {
        guard let elements else { return }
        let last = occurrences(of: key) - 1
        guard let lastIndex = find(key, last), let first = find(key, 0) else { return }
        if last == 1 { elements[Int(first)].slot &= ~Element.shared }
        if last != occurrence {
            let moved = elements[Int(lastIndex)].slot
            peal_observer_set_occurrence(Self.record(moved), occurrence)
            elements[Int(index)].slot = moved | elements[Int(index)].slot & Element.shared
        }
        free(lastIndex)
    }

    // MARK: - Elements

    /// Returns the index of the first wanted element with a hash, or of the free element that ends the search.
    @inline(__always)
    private func search(
        _ elements: UnsafeMutablePointer<Element>, _ hash: UInt32, where isWanted: (UInt32) -> Bool
    ) -> UInt32 {
        var index = hash & (capacity &- 1)
        while elements[Int(index)].slot != 0 {
            if elements[Int(index)].hash == hash, isWanted(elements[Int(index)].slot) { return index }
            index = (index &+ 1) & (capacity &- 1)
        }
        return index
    }

    @inline(__always)
    private func find(_ hash: UInt32, where isWanted: (UInt32) -> Bool) -> UInt32? {
        guard let elements else { return nil }
        let index = search(elements, hash, where: isWanted)
        return elements[Int(index)].slot != 0 ? index : nil
    }

    @inline(__always)
    private func place(_ element: Element) {
        guard let elements else { return }
        elements[Int(search(elements, element.hash) { _ in false })] = element
    }

    /// Frees an element. Later elements that a search would not reach any more move towards it.
    @inline(__always)
    private func free(_ freed: UInt32) {
        guard let elements else { return }
        var hole = freed
        var next = (hole &+ 1) & (capacity &- 1)
        while elements[Int(next)].slot != 0 {
            let distance = (next &- elements[Int(next)].hash) & (capacity &- 1)
            if distance >= (next &- hole) & (capacity &- 1) {
                elements[Int(hole)] = elements[Int(next)]
                hole = next
            }
            next = (next &+ 1) & (capacity &- 1)
        }
        elements[Int(hole)].slot = 0
    }
}

/// A protocol's observers: those with a target or a service, and those with neither. Guarded by the center's lock.
struct ObserverIndexes {
    private(set) var targeted = ObserverIndex()
    private(set) var untargeted = ObserverIndex()

    /// Prefetches the element of a key, if its index is large. Few observers have no target.
    @inline(__always)
    func prefetchIfLarge(_ key: ObserverKey.Hash) {
        if key.isOfTarget { targeted.prefetchIfLarge(key.value) }
    }

    /// Makes room for one more observer, and finds its position.
    @inline(__always)
    mutating func reserve(_ key: ObserverKey.Hash) throws(Failure) -> ObserverIndex.Position {
        key.isOfTarget ? try targeted.reserve(key.value) : try reserveUntargeted(key.value)
    }

    @inline(never)
    private mutating func reserveUntargeted(_ key: UInt32) throws(Failure) -> ObserverIndex.Position {
        try untargeted.reserve(key)
    }

    @inline(__always)
    mutating func insert(_ record: Observer, at position: ObserverIndex.Position) {
        if record.hasKeyOfTarget {
            targeted.insert(record, at: position)
        } else {
            insertUntargeted(record, at: position)
        }
    }

    @inline(never)
    private mutating func insertUntargeted(_ record: Observer, at position: ObserverIndex.Position) {
        untargeted.insert(record, at: position)
    }

    /// Returns false if the observer is not in the index. Not inlined, because the protocol would be retained.
    @inline(never) @_optimize(speed)
    mutating func remove(_ record: Observer) -> Bool {
        // An instance has the handle of its placeholder, which is in the index.
        if record.isInstance { return false }
        return record.hasKeyOfTarget ? targeted.remove(record) : untargeted.remove(record)
    }

    @inline(__always)
    func prefetchIfLarge(_ record: Observer) -> Bool {
        record.hasKeyOfTarget ? targeted.prefetchIfLarge(record) : untargeted.prefetchIfLarge(record)
    }

    mutating func removeAll() {
        targeted.removeAll()
        untargeted.removeAll()
    }

    var all: [Observer] { targeted.all + untargeted.all }

    var count: Int { Int(targeted.count) + Int(untargeted.count) }
}

extension PealProtocol {
    /// The observers that have not left. The caller must hold the center's lock.
    @inline(__always)
    var registeredObservers: ObserverIndexes {
        center.leaving.unindex()
        return state.observers
    }
}

extension Observer {
    fileprivate var hasKeyOfTarget: Bool { pointee.target != nil || isPlaceholder }
}
