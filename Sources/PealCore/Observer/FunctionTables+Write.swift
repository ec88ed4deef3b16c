extension FunctionTables {
    /// Writes one protocol's functions as a table, which leads to those of the protocols that it adopts.
    func write(
        _ proto: PealProtocol, to table: UnsafeMutableRawPointer,
        tables others: ProtocolMap<UnsafeMutableRawPointer>, methodCount: Int
    ) {
        let adoptedCount = proto.adopted.count
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
