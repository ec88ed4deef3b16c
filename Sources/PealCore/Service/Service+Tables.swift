internal import CPealSupport

extension Service {
    /// The functions for a protocol; nil if the protocol is not provided.
    func functions(for proto: PealProtocol) -> FunctionTables? {
        guard let provided = peal_record_find(record, proto.id) else { return nil }
        let table = UnsafeRawPointer(peal_table_words(peal_provided_largest(provided)))
        return try? proto.center.withState { (state) throws(Failure) in
            // A caller may have a larger table than the center: the additional members are empty.
            try FunctionTables(reading: table, of: proto, in: state, isCopy: true)
        }
    }

    /// The words of its tables, after the size: functions, and tables of adopted protocols.
    var tables: [(proto: String, words: [UInt])] {
        (0..<Int(record.pointee.provided_count)).map { index in
            let provided = peal_record_provided(record) + index
            let table = peal_table_words(peal_provided_largest(provided))
            let words = (1..<table.pointee / TableLayout.word).map { UInt(table[$0]) }
            return (String(cString: provided.pointee.name), words)
        }
    }

    /// The table for a protocol, of at least the caller's size.
    public func table(for proto: String, size: Int) throws(Failure) -> UnsafeRawPointer {
        try table(peal_record_find_named(record, proto), proto, size)
    }

    public func table(for proto: PealProtocol, size: Int) throws(Failure) -> UnsafeRawPointer {
        try table(peal_record_find(record, proto.id), proto.name, size)
    }

    private func table(
        _ provided: UnsafeMutablePointer<peal_provided>?, _ proto: String, _ size: Int
    ) throws(Failure) -> UnsafeRawPointer {
        guard let provided else {
            throw Failure(
                .notFound, "service \(name) does not provide \(proto); it provides \(CenterState.list(protocols))")
        }
        guard size <= Self.largestTable else {
            throw Failure(.argument, "a table of \(size) bytes; \(Self.largestTable) at most")
        }
        if let table = peal_provided_table(provided, size) { return table }
        return try enlarge(provided, to: size.roundedUp(to: TableLayout.word))
    }

    private static var largestTable: Int { 1 << 20 }

    /// Publishes a larger copy of a table, under the lock of services. Readers of the smaller copy continue to use
    /// that copy.
    private func enlarge(
        _ provided: UnsafeMutablePointer<peal_provided>, to size: Int
    ) throws(Failure) -> UnsafeRawPointer {
        try withState { (_) throws(Failure) -> Table in
            if let table = peal_provided_table(provided, size) { return Table(table: table) }
            let header = MemoryLayout<peal_table_copy>.size
            guard let memory = peal_memory_allocate(header + size) else { throw .outOfMemory }
            let smaller = UnsafeRawPointer(peal_table_words(peal_provided_largest(provided)))
            let larger = memory + header
            larger.copyMemory(from: smaller, byteCount: smaller.load(as: Int.self))
            larger.storeBytes(of: size, as: Int.self)
            peal_provided_enlarge(provided, memory.assumingMemoryBound(to: peal_table_copy.self))
            return Table(table: UnsafeRawPointer(larger))
        }.table
    }

    /// The table that is returned from under the lock. Unchecked: a table never changes.
    private struct Table: @unchecked Sendable {
        let table: UnsafeRawPointer
    }
}
