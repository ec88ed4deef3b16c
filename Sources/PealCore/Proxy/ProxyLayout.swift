/// The methods of a protocol as a proxy counts them: the adopted ones, then its own, from 0.
struct ProxyLayout: Sendable {
    let methods: [Method]
    /// For each protocol of the family, the indices of its own methods, by rank.
    let indices: [PealProtocol: [Int]]
    /// For each method, the offsets that lead to its function from a table of the protocol.
    let paths: [[Int]]

    init(of proto: PealProtocol, in state: borrowing CenterState) {
        let methods = state[proto].all
        var indices: [PealProtocol: [Int]] = [:]
        var routes: [PealProtocol: [Int]] = [:]
        Self.findRoutes(to: proto, by: [], &routes)
        for origin in proto.family {
            let own = methods.indices.filter { methods[$0].origin == origin }
            indices[origin] = own.ordered { SortKey(UInt64(methods[$0].rank)) }
        }
        self.methods = methods
        self.indices = indices
        paths = methods.map { method in
            (routes[method.origin] ?? [])
                + [TableLayout.methodOffset(method.rank, adoptedCount: method.origin.adopted.count)]
        }
    }

    /// Finds the path to each protocol of the family. In a diamond the first path is used.
    private static func findRoutes(to proto: PealProtocol, by route: [Int], _ routes: inout [PealProtocol: [Int]]) {
        guard routes[proto] == nil else { return }
        routes[proto] = route
        for (index, adopted) in proto.adopted.enumerated() {
            findRoutes(to: adopted, by: route + [TableLayout.adoptedOffset(index)], &routes)
        }
    }

    /// Fails if a method's policy returns several results, which one call cannot return.
    func checkPolicies() throws(Failure) {
        for method in methods { try Self.checkPolicy(of: method) }
    }

    static func checkPolicy(of method: Method) throws(Failure) {
        let policy = method.traits.policy
        guard policy == .collect || policy == .fold else { return }
        throw Failure(
            .policy,
            "\(method.title) has the policy \(policy.name), and a call through a proxy returns one value; broadcast it by peal_send_with, and keep it out of protocols that proxies are made of"
        )
    }
}
