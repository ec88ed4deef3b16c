internal import CPealSupport

/// A service's record, its names and peal's copies of its tables, in one allocation.
struct ServiceMemory: @unchecked Sendable {
    // Unchecked: a record belongs to one owner.
    typealias Pointer = UnsafeMutablePointer<peal_service_record>

    let record: Pointer
    /// For each provided protocol. The copies lead to the tables of adopted protocols in here, which observers share.
    let tables: [ObserverTables]

    init(
        _ description: ServiceDescription, in center: Center, _ state: borrowing CenterState
    ) throws(Failure) {
        let tables = try Self.readTables(of: description, state)
        var size = MemoryLayout<peal_service_record>.size + max(tables.count, 1) * MemoryLayout<peal_provided>.stride
        let start = size
        for table in tables { size += Self.sizeOfCopy(of: table, state) }
        let textStart = size
        size += strlen(description.name) + 1
        for provision in description.provisions { size += strlen(provision.protocol) + 1 }
        for name in description.dependencies { size += strlen(name.unsafelyUnwrapped) + 1 }
        guard let memory = peal_memory_allocate(size) else { throw .outOfMemory }

        let record = memory.bindMemory(to: peal_service_record.self, capacity: 1)
        record.pointee.center = center.number
        record.pointee.context = description.context
        record.pointee.create = description.create
        record.pointee.`init` = description.initialize
        record.pointee.clear_data = description.clearData
        record.pointee.destroy = description.destroy
        record.pointee.release = description.release
        record.pointee.is_persistent = description.isPersistent
        record.pointee.is_built_in = description.isBuiltIn
        record.pointee.provided_count = UInt16(tables.count)
        record.pointee.dependency_count = UInt32(description.dependencies.count)
        var text = memory + textStart
        var copy = memory + start
        record.pointee.name = Self.write(description.name, &text)
        for (index, table) in tables.enumerated() {
            let provided = peal_record_provided(record) + index
            provided.pointee.protocol = table.proto.number
            provided.pointee.name = Self.write(description.provisions[index].protocol, &text)
            provided.pointee.largest = copy.assumingMemoryBound(to: peal_table_copy.self)
            let size = Self.sizeOfCopy(of: table, state)
            Self.write(table, to: copy + MemoryLayout<peal_table_copy>.size, size - MemoryLayout<peal_table_copy>.size)
            copy += size
        }
        record.pointee.dependencies = UnsafePointer(text.assumingMemoryBound(to: CChar.self))
        for name in description.dependencies { _ = Self.write(name.unsafelyUnwrapped, &text) }
        self.record = record
        self.tables = tables
    }

    /// Reads and checks the tables, one for each provided protocol, in their order.
    private static func readTables(
        of description: ServiceDescription, _ state: borrowing CenterState
    ) throws(Failure) -> [ObserverTables] {
        var tables: [ObserverTables] = []
        for provision in description.provisions {
            let name = String(cString: provision.protocol)
            guard let proto = state.protocolsByName[name] else {
                throw Failure(.notFound, "service \(description.text) provides \(name), which is not defined in this center; \(state.hint(for: name) ?? "define the protocol first")")
            }
            guard !tables.contains(where: { $0.proto == proto }) else {
                throw Failure(.conflict, "service \(description.text) provides \(name) twice")
            }
            tables.append(try state.tables(of: Registration(proto: proto, target: nil, functions: .table(provision.table))))
        }
        return tables
    }

    /// All current methods of the protocol: those that the caller's table lacks are NULL.
    private static func sizeOfCopy(of table: ObserverTables, _ state: borrowing CenterState) -> Int {
        MemoryLayout<peal_table_copy>.size
            + TableLayout.size(adoptedCount: table.proto.adopted.count, methodCount: state[table.proto].own.count)
    }

    private static func write(_ table: ObserverTables, to copy: UnsafeMutableRawPointer, _ size: Int) {
        copy.copyMemory(from: table.table, byteCount: table.table.load(as: Int.self))
        copy.storeBytes(of: size, as: Int.self)
    }

    private static func write(
        _ name: UnsafePointer<CChar>, _ place: inout UnsafeMutableRawPointer
    ) -> UnsafePointer<CChar> {
        let start = place
        let size = strlen(name) + 1
        start.copyMemory(from: name, byteCount: size)
        place += size
        return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }

    /// Frees the memory of a registration that failed, or of a service that has ended.
    static func free(_ record: Pointer) {
        for index in 0..<Int(record.pointee.provided_count) {
            var copy = peal_provided_largest(peal_record_provided(record) + index)
            // The smallest copy is part of the record.
            while let smaller = copy.pointee.smaller {
                peal_memory_free(copy)
                copy = smaller
            }
        }
        peal_memory_free(record)
    }
}
