import PealCall

/// The order in which modules start: dependencies first, then by priority, then by registration. Knows
/// names and nothing of what they stand for.
struct ModuleOrder {
    struct Node {
        let name: String
        let rank: ReadyModules.Rank
        let dependencies: [String]
    }

    private let nodes: [Node]
    private var indices: [String: Int] = [:]
    private var heirs: [[Int]]
    private var missing: [Int]
    private var ready = ReadyModules()

    /// - Throws: What is not there, by name.
    init(_ nodes: [Node]) throws(Failure) {
        self.nodes = nodes
        heirs = Array(repeating: [], count: nodes.count)
        missing = nodes.map(\.dependencies.count)
        indices.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() { indices[node.name] = index }
        for (index, node) in nodes.enumerated() {
            for dependency in node.dependencies {
                guard let needed = indices[dependency] else {
                    throw .missing(dependency, neededBy: node.name, among: nodes.map(\.name))
                }
                heirs[needed].append(index)
            }
            if node.dependencies.isEmpty { ready.insert(index, node.rank) }
        }
    }

    /// - Returns: Indices into the nodes.
    /// - Throws: The cycle, with its path.
    consuming func sort() throws(Failure) -> [Int] {
        var order: [Int] = []
        order.reserveCapacity(nodes.count)
        while let index = ready.takeFirst() {
            order.append(index)
            for heir in heirs[index] {
                missing[heir] -= 1
                if missing[heir] == 0 { ready.insert(heir, nodes[heir].rank) }
            }
        }
        guard order.count == nodes.count else { throw .cycle(findCycle()) }
        return order
    }

    /// Follows dependencies that wait from one that waits, until one comes twice.
    private func findCycle() -> [String] {
        guard var index = missing.firstIndex(where: { $0 > 0 }) else { return [] }
        var path: [Int] = []
        var places: [Int: Int] = [:]
        while places[index] == nil {
            places[index] = path.count
            path.append(index)
            // One that waits has a dependency that waits.
            guard let next = nodes[index].dependencies.compactMap({ indices[$0] }).first(where: { missing[$0] > 0 }) else { break }
            index = next
        }
        return path[(places[index] ?? 0)...].map { nodes[$0].name } + [nodes[index].name]
    }
}

extension Failure {
    static func missing(_ name: String, neededBy module: String, among names: [String]) -> Failure {
        let guess = NearestName.find(name, in: names).map { "; did you mean \($0)?" } ?? ""
        return Failure(.notFound, "module \(module) needs \(name), which is not registered: register it, or take it out of the dependencies\(guess)")
    }

    static func cycle(_ path: [String]) -> Failure {
        Failure(.cycle, "modules need each other in a circle: \(path.joined(separator: " needs ")); take one of these dependencies out")
    }
}
