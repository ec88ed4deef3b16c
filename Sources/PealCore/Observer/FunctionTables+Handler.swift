extension FunctionTables {
    /// Uses one function for the named methods, or for all methods.
    init(
        handler function: UnsafeRawPointer, names: [String]?, includesLater: Bool = false, of proto: PealProtocol,
        in state: borrowing CenterState
    ) throws(Failure) {
        try HandledMethods.checkCount(names?.count ?? state[proto].all.count)
        let methods = try Self.methods(names, of: proto, in: state)
        for origin in proto.family {
            tables[origin] = Table(functions: Array(repeating: nil, count: state[origin].ownCount))
        }
        for (index, method) in methods.enumerated() {
            tables[method.origin]?.functions[method.rank] =
                try MethodThunk.function(of: method.plan, index: index, method.title)
        }
        handled = HandledMethods(function: function, methods: methods, includesLater: includesLater)
    }

    private static func methods(
        _ names: [String]?, of proto: PealProtocol, in state: borrowing CenterState
    ) throws(Failure) -> [Method] {
        guard let names else { return state[proto].all }
        var known: Set<UInt64> = []
        var methods: [Method] = []
        for name in names {
            let method = try state.method(named: name, of: proto)
            guard known.insert(method.id).inserted else {
                throw Failure(.conflict, "method \(method.title) is named twice for a handler; name each once")
            }
            methods.append(method)
        }
        return methods
    }
}
