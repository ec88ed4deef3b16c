internal import CPealSupport

/// The replacement of observers by another one, prepared so that its publication cannot fail.
///
/// A broadcast calls exactly one of the old and the new observer. The new lists contain only the new one. Readers of an
/// older list find the old one removed, and its successor in the record.
struct Successors {
    private var made: [(old: Observer, successor: UnsafeMutablePointer<peal_successor>)] = []
    private let record: Observer

    /// - Parameter tables: The tables of the new observer.
    init(
        of replaced: [Observer], by record: Observer, _ tables: ObserverTables
    ) throws(Failure) {
        self.record = record
        guard !replaced.isEmpty else { return }
        var left = Array(tables.listings)
        // For each method, the first old observer in call order leads to the new one's call. A reader that is past its
        // entry has called the old observer.
        for old in replaced.ordered(by: { $0.callOrder }) {
            let elements = Set(old.tables.currentListings.map { $0.element })
            let calls = left.filter { elements.contains($0.element) }
            guard !calls.isEmpty else { continue }
            left.removeAll { elements.contains($0.element) }
            guard let memory = peal_memory_allocate(peal_successor_size(calls.count)) else {
                cancel()
                throw .outOfMemory
            }
            let successor = memory.assumingMemoryBound(to: peal_successor.self)
            successor.pointee.record = record
            for call in calls { peal_successor_add(successor, call.element.id, call.entry(of: record)) }
            made.append((old, successor))
        }
    }

    /// Call before the old observers are closed.
    func commit() {
        for (old, successor) in made {
            peal_observer_retain_memory(record)
            peal_successor_publish(old, successor)
        }
    }

    func cancel() {
        for (_, successor) in made { peal_memory_free(successor) }
    }
}
