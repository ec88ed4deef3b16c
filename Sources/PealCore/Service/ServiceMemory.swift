internal import CPealSupport

/// A service's record, its names and peal's copies of its tables, in one allocation.
enum ServiceMemory {
    typealias Pointer = UnsafeMutablePointer<peal_service_record>

    /// The caller must hold the center's lock.
    @_optimize(speed)
    static func make(
        _ description: borrowing ServiceDescription, in center: Center, _ state: inout CenterState
    ) throws(Failure) -> Pointer {
        let provisions = description.provisions
        return try withUnsafeTemporaryAllocation(of: ObserverTables?.self, capacity: max(provisions.count, 1)) {
            (tables) throws(Failure) in
            tables.initialize(repeating: nil)
            // A failure leaves tables here. `deinitialize` would read the metadata of the type.
            defer { for index in tables.indices { tables[index] = nil } }
            for (index, provision) in provisions.enumerated() {
                let read = try readTable(provision, of: description, in: center, &state)
                guard !tables[..<index].contains(where: { $0?.proto == read.proto }) else {
                    throw Failure(.conflict, "service \(description.text) provides \(read.proto.name) twice")
                }
                tables[index] = read
            }
            return try make(
                description, in: center, UnsafeMutableBufferPointer(rebasing: tables[..<provisions.count]), &state)
        }
    }

    /// Makes a record, which then owns the tables and the caller's pin of the center.
    @_optimize(speed)
    private static func make(
        _ description: borrowing ServiceDescription, in center: Center,
        _ tables: UnsafeMutableBufferPointer<ObserverTables?>, _ state: inout CenterState
    ) throws(Failure) -> Pointer {
        var size = MemoryLayout<peal_service_record>.size + max(tables.count, 1) * MemoryLayout<peal_provided>.stride
        let start = size
        for table in tables { size += sizeOfCopy(of: table.unsafelyUnwrapped, &state) }
        let textStart = size
        let nameLength = strlen(description.name)
        size += nameLength + 1
        for provision in description.provisions { size += strlen(provision.protocol) + 1 }
        for name in description.dependencies { size += strlen(name.unsafelyUnwrapped) + 1 }
        guard let memory = peal_memory_allocate_unset(size) else { throw .outOfMemory }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: start)

        let record = memory.bindMemory(to: peal_service_record.self, capacity: 1)
        record.pointee.center = center.id
        record.pointee.hash = peal_name_hash_sized(center.id, description.name, nameLength)
        record.pointee.context = description.context
        record.pointee.create = description.create
        record.pointee.`init` = description.initialize
        record.pointee.clear_data = description.clearData
        record.pointee.destroy = description.destroy
        record.pointee.release = description.release
        record.pointee.is_persistent = description.isPersistent
        record.pointee.is_built_in = description.isBuiltIn
        record.pointee.keepers = 2
        record.pointee.provided_count = UInt16(tables.count)
        record.pointee.dependency_count = UInt32(description.dependencies.count)
        var text = memory + textStart
        var copy = memory + start
        record.pointee.name = write(description.name, nameLength, &text)
        for index in 0..<tables.count {
            let provided = peal_record_provided(record) + index
            let table = tables[index].take().unsafelyUnwrapped
            provided.pointee.protocol = table.proto.id
            let name: UnsafePointer<CChar> = description.provisions[index].protocol
            let length = strlen(name)
            provided.pointee.name = write(name, length, &text)
            provided.pointee.hash = peal_name_hash_sized(center.id, name, length)
            let smallest = copy.bindMemory(to: peal_table_copy.self, capacity: 1)
            smallest.pointee.smaller = nil
            provided.pointee.largest = smallest
            let size = sizeOfCopy(of: table, &state)
            write(table, to: copy + MemoryLayout<peal_table_copy>.size, size - MemoryLayout<peal_table_copy>.size)
            copy += size
            cell(of: provided).initialize(to: table)
        }
        record.pointee.dependencies = UnsafePointer(text.assumingMemoryBound(to: CChar.self))
        for name in description.dependencies {
            let name = name.unsafelyUnwrapped
            _ = write(name, strlen(name), &text)
        }
        return record
    }

    private static func readTable(
        _ provision: peal_provision, of description: borrowing ServiceDescription, in center: Center,
        _ state: inout CenterState
    ) throws(Failure) -> ObserverTables {
        guard let proto = state.find(provision.protocol, in: center.id) else {
            let name = String(cString: provision.protocol)
            throw Failure(
                .notFound,
                "service \(description.text) provides \(name), which is not defined in this center; \(state.hint(for: name) ?? "define the protocol first")"
            )
        }
        return try proto.with { (proto) throws(Failure) in try state.tables(provision.table, of: proto) }
    }

    /// The tables that observers with the same functions share. The record's copies point to the tables of adopted
    /// protocols in these.
    static func tables(of provided: UnsafeMutablePointer<peal_provided>) -> ObserverTables {
        cell(of: provided).pointee.unsafelyUnwrapped
    }

    /// The same, kept by the record.
    static func borrowedTables(of provided: UnsafeMutablePointer<peal_provided>) -> Borrowed<ObserverTables> {
        Borrowed(at: peal_provided_tables(provided).pointee.unsafelyUnwrapped)
    }

    private static func cell(of provided: UnsafeMutablePointer<peal_provided>) -> UnsafeMutablePointer<ObserverTables?>
    {
        UnsafeMutableRawPointer(peal_provided_tables(provided)).assumingMemoryBound(to: ObserverTables?.self)
    }

    /// The size of a copy with all current methods of the protocol. Methods that the caller's table lacks are NULL.
    private static func sizeOfCopy(of table: ObserverTables, _ state: inout CenterState) -> Int {
        MemoryLayout<peal_table_copy>.size
            + TableLayout.size(adoptedCount: table.proto.adoptedCount, methodCount: state[table.proto].ownCount)
    }

    private static func write(_ table: ObserverTables, to copy: UnsafeMutableRawPointer, _ size: Int) {
        let known = table.table.load(as: Int.self)
        copy.copyMemory(from: table.table, byteCount: known)
        if known < size { (copy + known).initializeMemory(as: UInt8.self, repeating: 0, count: size - known) }
        copy.storeBytes(of: size, as: Int.self)
    }

    private static func write(
        _ name: UnsafePointer<CChar>, _ length: Int, _ element: inout UnsafeMutableRawPointer
    ) -> UnsafePointer<CChar> {
        let start = element
        start.copyMemory(from: name, byteCount: length + 1)
        element += length + 1
        return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }

    /// Frees the memory of a registration that failed, or of a service that has ended.
    @_optimize(speed)
    static func free(_ record: Pointer) {
        for index in 0..<Int(record.pointee.provided_count) {
            let provided = peal_record_provided(record) + index
            _ = cell(of: provided).move()
            var copy = peal_provided_largest(provided)
            // The smallest copy is part of the record.
            while let smaller = copy.pointee.smaller {
                peal_memory_free(copy)
                copy = smaller
            }
        }
        let center = record.pointee.center
        peal_memory_free(record)
        Handles.centers.unpin(center)
    }
}
