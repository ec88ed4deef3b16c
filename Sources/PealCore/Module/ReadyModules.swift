/// Modules that could start next: the one of the highest priority first, then the one that was registered
/// first. A binary heap.
struct ReadyModules {
    struct Rank: Comparable {
        let priority: Int32
        let sequence: UInt64

        /// What is less starts later.
        static func < (left: Rank, right: Rank) -> Bool {
            left.priority != right.priority ? left.priority < right.priority : left.sequence > right.sequence
        }
    }

    private var heap: [(rank: Rank, index: Int)] = []

    mutating func insert(_ index: Int, _ rank: Rank) {
        heap.append((rank, index))
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2].rank < heap[child].rank {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func takeFirst() -> Int? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.index }
        heap[0] = last
        var parent = 0
        while let child = largerChild(of: parent), heap[parent].rank < heap[child].rank {
            heap.swapAt(parent, child)
            parent = child
        }
        return first.index
    }

    private func largerChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        guard left < heap.count else { return nil }
        let right = left + 1
        return right < heap.count && heap[left].rank < heap[right].rank ? right : left
    }
}
