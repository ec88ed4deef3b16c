internal import CPealSupport

/// Where the link of a set is in an observer's extras; nil if the observer has none for such a set.
protocol ObserverLink {
    static func link(of record: Observer) -> UnsafeMutablePointer<peal_link>?
    static func observer(of link: UnsafeMutablePointer<peal_link>) -> Observer
}

enum LinkOfOwner: ObserverLink {
    static func link(of record: Observer) -> UnsafeMutablePointer<peal_link>? {
        record.extras.map { peal_observer_link_of_owner($0) }
    }
    static func observer(of link: UnsafeMutablePointer<peal_link>) -> Observer { peal_observer_of_owner_link(link) }
}

enum LinkOfQueue: ObserverLink {
    static func link(of record: Observer) -> UnsafeMutablePointer<peal_link>? {
        record.delivery.map { peal_observer_link_of_queue($0) }
    }
    static func observer(of link: UnsafeMutablePointer<peal_link>) -> Observer { peal_observer_of_queue_link(link) }
}

/// The observers of one owner, or the observers or timers of one queue, in the order of registration. The links are in
/// the records, so adding and removing need no memory, and a set is one word. Guarded by the lock of the owner or the
/// queue.
struct ObserverSet<Link: ObserverLink>: @unchecked Sendable {
    // Unchecked: the lock guards the links.
    private var first: UnsafeMutablePointer<peal_link>?

    /// Adds an observer with extras, which must be removed before its life ends.
    mutating func add(_ record: Observer) {
        if let link = Link.link(of: record) { peal_link_add(link, &first) }
    }

    /// Returns false if the observer is not in the set.
    @discardableResult
    mutating func remove(_ record: Observer) -> Bool {
        Link.link(of: record).map { peal_link_remove($0, &first) } ?? false
    }

    /// Removes all observers, and returns them.
    mutating func removeAll() -> KeptObservers {
        let removed = kept
        for record in removed.records { remove(record) }
        return removed
    }

    /// The current observers.
    var kept: KeptObservers {
        var records: [Observer] = []
        var next = first
        while let link = next, let first {
            records.append(Link.observer(of: link))
            next = peal_link_next(link, first)
        }
        return KeptObservers(records)
    }
}

/// Observers whose memory this object retains.
final class KeptObservers: Sendable {
    nonisolated(unsafe) let records: [Observer]

    /// The caller must protect the records until this has returned.
    fileprivate init(_ records: [Observer]) {
        self.records = records
        for record in records { peal_observer_retain_memory(record) }
    }

    deinit {
        for record in records { ObserverLife.releaseMemory(record) }
    }

    /// The instances of the placeholders among them. Call without the lock of the set.
    var instances: [Observation] { records.flatMap { $0.lazyObserver?.instances ?? [] } }
}
