extension FunctionTables {
    /// Reads a C table: its size, the tables of adopted protocols, its functions.
    ///
    /// - Parameter isCopy: True if the table is peal's own copy. The copy may be larger than the protocol's table, and
    ///   its additional members are empty.
    init(
        reading table: UnsafeRawPointer, of proto: PealProtocol, in state: borrowing CenterState, isCopy: Bool = false
    ) throws(Failure) {
        try read(table, of: proto, in: state, isCopy: isCopy)
    }

    private mutating func read(
        _ table: UnsafeRawPointer, of proto: PealProtocol, in state: borrowing CenterState, isCopy: Bool
    ) throws(Failure) {
        if let known = tables[proto] {
            guard known.source == table else {
                throw Failure(
                    .conformance,
                    "\(proto.name) is adopted by two protocols, with a different table for each; give both the same table, or NULL for one of them"
                )
            }
            return
        }
        let adoptedCount = proto.adoptedCount
        let methodCount = state[proto].ownCount
        var size = CallerSize.declared(at: table)
        if isCopy { size = min(size, TableLayout.size(adoptedCount: adoptedCount, methodCount: methodCount)) }
        try Self.check(size, of: proto, adoptedCount: adoptedCount, methodCount: methodCount)

        let ranks = (size - TableLayout.size(adoptedCount: adoptedCount, methodCount: 0)) / TableLayout.word
        let functions = (0..<ranks).map { rank in
            table.load(
                fromByteOffset: TableLayout.methodOffset(rank, adoptedCount: adoptedCount),
                as: UnsafeRawPointer?.self)
        }
        tables[proto] = Table(functions: functions, source: table)
        for (index, adopted) in proto.adopted.enumerated() {
            let offset = TableLayout.adoptedOffset(index)
            guard let next = table.load(fromByteOffset: offset, as: UnsafeRawPointer?.self) else { continue }
            try read(next, of: adopted, in: state, isCopy: isCopy)
        }
    }

    /// Fails if the size of a C table is not that of any table of the protocol.
    static func checkSize(
        of table: UnsafeRawPointer, for proto: PealProtocol, in state: borrowing CenterState
    ) throws(Failure) {
        try check(
            CallerSize.declared(at: table), of: proto, adoptedCount: proto.adoptedCount,
            methodCount: state[proto].ownCount)
    }

    private static func check(
        _ size: Int, of proto: PealProtocol, adoptedCount: Int, methodCount: Int
    ) throws(Failure) {
        let least = TableLayout.size(adoptedCount: adoptedCount, methodCount: 0)
        let most = TableLayout.size(adoptedCount: adoptedCount, methodCount: methodCount)
        guard size % TableLayout.word == 0, size >= least else {
            throw Failure(
                .conformance,
                "the size member of the table for \(proto.name) is \(size); set it to the size of the table, such as sizeof(struct …), at least \(least)"
            )
        }
        guard size <= most else {
            throw Failure(
                .conformance,
                "the table for \(proto.name) has \(size) bytes, but that of the defined protocol has \(most); define the newer version before observing"
            )
        }
    }

    /// Reads functions that are bound to methods by name.
    init(
        binding bindings: [FunctionBinding], of proto: PealProtocol, in state: borrowing CenterState
    ) throws(Failure) {
        for origin in proto.family {
            tables[origin] = Table(functions: Array(repeating: nil, count: state[origin].ownCount))
        }
        var bound: Set<UInt64> = []
        for binding in bindings {
            let method = try state.method(named: binding.method, of: proto)
            guard bound.insert(method.id).inserted else {
                throw Failure(.conflict, "method \(method.title) is bound twice")
            }
            try binding.checkPrototype(of: method, in: state)
            tables[method.origin]?.functions[method.rank] = binding.function
        }
    }
}

extension FunctionTables {
    /// Writes one protocol's functions as a table that points to the tables of the adopted protocols.
    func write(
        _ proto: PealProtocol, to table: UnsafeMutableRawPointer,
        tables others: ProtocolMap<UnsafeMutableRawPointer>, methodCount: Int
    ) {
        let adoptedCount = proto.adoptedCount
        table.storeBytes(of: TableLayout.size(adoptedCount: adoptedCount, methodCount: methodCount), as: Int.self)
        for (index, adopted) in proto.adopted.enumerated() {
            table.storeBytes(
                of: others[adopted], toByteOffset: TableLayout.adoptedOffset(index), as: UnsafeMutableRawPointer?.self)
        }
        for (rank, function) in (tables[proto]?.functions ?? []).enumerated() {
            table.storeBytes(
                of: function, toByteOffset: TableLayout.methodOffset(rank, adoptedCount: adoptedCount),
                as: UnsafeRawPointer?.self)
        }
    }
}
