internal import CPealSupport

/// Observers of a protocol, chained by the hashes of their keys. The links are in the records, so only the array of chains
/// needs memory. Guarded by the center's lock.
struct ObserverIndex {
    private var chains: UnsafeMutablePointer<Observer?>?
    /// A power of two.
    private var chainCount: UInt32 = 0
    private var count: UInt32 = 0

    /// The average number of observers in a chain at which the number of chains is doubled.
    private static let load: UInt32 = 2
    private static let minimumChains: UInt32 = 8

    /// Makes room for one more observer.
    @inline(__always)
    mutating func reserve() throws(Failure) {
        if count >= chainCount &* Self.load { try grow() }
    }

    @inline(never)
    private mutating func grow() throws(Failure) {
        let wanted = max(Self.minimumChains, chainCount * 2)
        guard let memory = peal_memory_allocate(Int(wanted) * MemoryLayout<Observer?>.stride) else {
            throw .outOfMemory
        }
        let (outgrown, outgrownCount) = (chains, chainCount)
        chains = memory.bindMemory(to: Observer?.self, capacity: Int(wanted))
        chainCount = wanted
        for index in 0..<Int(outgrownCount) {
            var next = outgrown?[index]
            while let record = next {
                next = peal_observer_next(record)
                link(record)
            }
        }
        peal_memory_free(outgrown)
    }

    /// The caller must have reserved room.
    mutating func insert(_ record: Observer) {
        link(record)
        count += 1
    }

    /// Returns false if the observer is not in the index.
    mutating func remove(_ record: Observer) -> Bool {
        guard peal_observer_unlink(record) else { return false }
        count -= 1
        return true
    }

    mutating func removeAll() {
        peal_memory_free(chains)
        self = ObserverIndex()
    }

    private func link(_ record: Observer) {
        guard let chains else { return }
        peal_observer_link(record, chains + Int(record.pointee.hash & (chainCount &- 1)))
    }

    /// The first observer of the chain for a hash, which may contain others.
    private func first(_ hash: UInt32) -> Observer? { chains?[Int(hash & (chainCount &- 1))] }

    /// Visits the observers whose keys have a hash.
    func forEach(_ hash: UInt32, _ body: (Observer) -> Void) {
        var next = first(hash)
        while let record = next {
            if record.pointee.hash == hash { body(record) }
            next = peal_observer_next(record)
        }
    }

    /// Returns true if `isWanted` is true for at least one observer whose key has the hash.
    func contains(_ hash: UInt32, where isWanted: (Observer) -> Bool) -> Bool {
        var next = first(hash)
        while let record = next {
            if record.pointee.hash == hash, isWanted(record) { return true }
            next = peal_observer_next(record)
        }
        return false
    }

    /// All observers, in no order.
    var all: [Observer] {
        var all: [Observer] = []
        if count == 0 { return all }
        all.reserveCapacity(Int(count))
        for index in 0..<Int(chainCount) {
            var next = chains?[index]
            while let record = next {
                all.append(record)
                next = peal_observer_next(record)
            }
        }
        return all
    }
}

/// A protocol's observers: those with a target or a service, and those with neither. Guarded by the center's lock.
struct ObserverIndexes {
    private(set) var targeted = ObserverIndex()
    private(set) var untargeted = ObserverIndex()

    /// Makes room for one more observer.
    @inline(__always)
    mutating func reserve(for record: Observer) throws(Failure) {
        if record.hasKeyOfTarget { try targeted.reserve() } else { try untargeted.reserve() }
    }

    /// The caller must have reserved room. Not inlined, because the protocol would be retained.
    @inline(never)
    mutating func insert(_ record: Observer) {
        if record.hasKeyOfTarget { targeted.insert(record) } else { untargeted.insert(record) }
    }

    /// Returns false if the observer is not in the index. Not inlined, because the protocol would be retained.
    @inline(never)
    mutating func remove(_ record: Observer) -> Bool {
        record.hasKeyOfTarget ? targeted.remove(record) : untargeted.remove(record)
    }

    mutating func removeAll() {
        targeted.removeAll()
        untargeted.removeAll()
    }

    var all: [Observer] { targeted.all + untargeted.all }
}

extension Observer {
    fileprivate var hasKeyOfTarget: Bool { pointee.target != nil || isPlaceholder }
}
