internal import CPealSupport

/// A service's record, its names and peal's copies of its tables, in one allocation.
struct ServiceMemory {
    typealias Pointer = UnsafeMutablePointer<peal_service_record>

    private let description: ServiceDescription
    private struct Provided {
        let proto: PealProtocol
        let functions: FunctionTables
    }

    private let provided: [Provided]
    private var size: Int
    /// From the record to the copy of a table: for each provision, all protocols that it adopts too.
    private var offsets: [ProtocolMap<Int>] = []

    /// Reads and checks the tables.
    init(_ description: ServiceDescription, in state: borrowing CenterState) throws(Failure) {
        self.description = description
        var provided: [Provided] = []
        for provision in description.provisions {
            guard let proto = state.protocolsByName[provision.proto] else {
                throw Failure(.notFound, "service \(description.name) provides \(provision.proto), which is not defined in this center; \(state.hint(for: provision.proto) ?? "define the protocol first")")
            }
            guard !provided.contains(where: { $0.proto == proto }) else {
                throw Failure(.conflict, "service \(description.name) provides \(proto.name) twice")
            }
            let functions = try FunctionTables(reading: provision.table, of: proto, in: state)
            try state.checkConformance(of: functions, to: proto)
            provided.append(Provided(proto: proto, functions: functions))
        }
        self.provided = provided
        size = MemoryLayout<peal_service_record>.size + max(provided.count, 1) * MemoryLayout<peal_provided>.stride
        for each in provided { place(each.proto, in: state) }
    }

    private mutating func place(_ proto: PealProtocol, in state: borrowing CenterState) {
        var places = ProtocolMap<Int>()
        for member in proto.family {
            if member == proto { size += MemoryLayout<peal_table_copy>.size }
            places[member] = size
            size += TableLayout.size(adoptedCount: member.adopted.count, methodCount: state[member].own.count)
        }
        offsets.append(places)
    }

    func make(in center: Center, _ state: borrowing CenterState) throws(Failure) -> Pointer {
        let names = [description.name] + provided.map { $0.proto.name } + description.dependencies
        let size = size + names.reduce(0) { $0 + $1.utf8.count + 1 }
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
        record.pointee.provided_count = UInt16(provided.count)
        record.pointee.dependency_count = UInt32(description.dependencies.count)
        var text = memory + self.size
        record.pointee.name = Self.write(description.name, &text)
        for (index, provision) in provided.enumerated() {
            let entry = peal_record_provided(record) + index
            entry.pointee.protocol = provision.proto.number
            entry.pointee.name = Self.write(provision.proto.name, &text)
            fill(entry, index, memory, state)
        }
        record.pointee.dependencies = UnsafePointer(text.assumingMemoryBound(to: CChar.self))
        for name in description.dependencies { _ = Self.write(name, &text) }
        return record
    }

    private static func write(_ name: String, _ place: inout UnsafeMutableRawPointer) -> UnsafePointer<CChar> {
        let start = place
        for byte in name.utf8 {
            place.storeBytes(of: byte, as: UInt8.self)
            place += 1
        }
        place += 1
        return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }

    private func fill(
        _ entry: UnsafeMutablePointer<peal_provided>, _ index: Int, _ memory: UnsafeMutableRawPointer,
        _ state: borrowing CenterState
    ) {
        let (proto, functions) = (provided[index].proto, provided[index].functions)
        let places = offsets[index].mapValues { memory + $0 }
        for member in proto.family {
            guard let table = places[member] else { continue }
            functions.write(member, to: table, tables: places, methodCount: state[member].own.count)
            if member == proto {
                entry.pointee.largest = (table - MemoryLayout<peal_table_copy>.size)
                    .assumingMemoryBound(to: peal_table_copy.self)
            }
        }
    }

    /// Of a registration that failed, or of a service that has ended.
    static func free(_ record: Pointer) {
        for index in 0..<Int(record.pointee.provided_count) {
            var copy = peal_provided_largest(peal_record_provided(record) + index)
            // The smallest is part of the record.
            while let smaller = copy.pointee.smaller {
                peal_memory_free(copy)
                copy = smaller
            }
        }
        peal_memory_free(record)
    }
}
