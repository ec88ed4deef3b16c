import PealCall

/// The order in which modules start: dependencies first, then by priority, then by registration. It uses the names
/// of modules alone.
struct ModuleOrder {
    struct Node {
        let name: String
        let rank: ReadyModules.Rank
        let dependencies: [String]
    }

    private let nodes: [Node]
    private var indices: [String: Int] = [:]
    private var dependents: [[Int]]
    /// The number of dependencies that are not in the order yet.
    private var waitsFor: [Int]
    private var ready = ReadyModules()

    /// - Throws: A failure that names a missing dependency.
    init(_ nodes: [Node]) throws(Failure) {
        self.nodes = nodes
        dependents = Array(repeating: [], count: nodes.count)
        waitsFor = nodes.map { $0.dependencies.count }
        indices.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() { indices[node.name] = index }
        for (index, node) in nodes.enumerated() {
            for dependency in node.dependencies {
                guard let needed = indices[dependency] else {
                    throw .missing(dependency, neededBy: node.name, among: nodes.map { $0.name })
                }
                dependents[needed].append(index)
            }
            if node.dependencies.isEmpty { ready.insert(index, node.rank) }
        }
    }

    /// - Returns: Indices into the nodes.
    /// - Throws: A failure with the path of a cycle.
    consuming func sort() throws(Failure) -> [Int] {
        var order: [Int] = []
        order.reserveCapacity(nodes.count)
        while let index = ready.takeFirst() {
            order.append(index)
            for dependent in dependents[index] {
                waitsFor[dependent] -= 1
                if waitsFor[dependent] == 0 { ready.insert(dependent, nodes[dependent].rank) }
            }
        }
        guard order.count == nodes.count else { throw .cycle(findCycle()) }
        return order
    }

    /// Follows waiting dependencies until a module is reached twice.
    private func findCycle() -> [String] {
        guard var index = waitsFor.firstIndex(where: { $0 > 0 }) else { return [] }
        var path: [Int] = []
        var positions: [Int: Int] = [:]
        while positions[index] == nil {
            positions[index] = path.count
            path.append(index)
            // A waiting module has a waiting dependency.
            guard let next = nodes[index].dependencies.compactMap({ indices[$0] }).first(where: { waitsFor[$0] > 0 })
            else { break }
            index = next
        }
        return path[(positions[index] ?? 0)...].map { nodes[$0].name } + [nodes[index].name]
    }
}

/// The modules that may start next: a binary heap, by priority and then by registration.
struct ReadyModules {
    struct Rank: Comparable {
        let priority: Int32
        let sequence: UInt64

        /// The lesser rank starts later.
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

extension Module {
    var rank: ReadyModules.Rank { ReadyModules.Rank(priority: priority, sequence: sequence) }
}

extension MediatorState {
    /// Why the modules that are still registered at the end of a start cannot start.
    var failureOfRegistered: Failure? {
        let waiting = byName.values.filter { $0.status.state == .registered }.ordered { SortKey($0.sequence) }
        for module in waiting {
            for dependency in module.dependencies where byName[dependency] == nil {
                return .missing(dependency, neededBy: module.name, among: Array(byName.keys))
            }
        }
        let nodes = waiting.map { module in
            ModuleOrder.Node(
                name: module.name, rank: module.rank,
                dependencies: module.dependencies.filter { byName[$0]?.status.state == .registered })
        }
        do throws(Failure) {
            _ = try ModuleOrder(nodes).sort()
        } catch {
            return error
        }
        return waiting.first.map { Failure(.state, "module \($0.name) needs a module that is not running") }
    }
}

extension Failure {
    static func missing(_ name: String, neededBy module: String, among names: [String]) -> Failure {
        let guess = NearestName.find(name, among: names.count, in: names).map { "; did you mean \($0)?" } ?? ""
        return Failure(
            .notFound,
            "module \(module) needs \(name), which is not registered: register it, or remove it from the dependencies\(guess)"
        )
    }

    static func cycle(_ path: [String]) -> Failure {
        Failure(
            .cycle,
            "circular dependency of modules: \(path.joined(separator: " needs ")); remove one of these dependencies")
    }
}
