/// The functions of an observer for a protocol and all protocols that it adopts.
struct FunctionTables: Sendable {
    /// The functions of one protocol's own methods, by rank. An absent method is nil, or past the end.
    struct Table: @unchecked Sendable {
        // Unchecked: addresses of code and of constant tables.
        var functions: [UnsafeRawPointer?]
        /// The address of the caller's table. Both paths of a diamond must lead to the same table.
        var source: UnsafeRawPointer?
    }

    var tables = ProtocolMap<Table>()
    /// The handler, if the functions are thunks that lead to one function.
    var handled: HandledMethods?

    func function(for method: Method) -> UnsafeRawPointer? {
        guard let table = tables[method.origin], method.rank < table.functions.count else { return nil }
        return table.functions[method.rank]
    }

    var addresses: [UInt] {
        tables.ordered.flatMap { $0.functions.map { UInt(bitPattern: $0) } }
    }

    /// The required methods that are missing.
    func missing(from methods: [Method]) -> [Method] {
        methods.filter { $0.declaration.requirement == .required && function(for: $0) == nil }
    }
}
