internal import CPealSupport
import PealCall

/// The tables of proxies, which C code calls. They distinguish methods, not proxies: so equal tables are shared, and
/// never freed. A late call still finds its function.
enum ProxyTable {
    /// The addresses of the existing tables, by the tables' words.
    private static let known = Guarded<[[UInt]: UInt]>([:])

    /// Returns memory that contains the words. For equal words it is the same memory.
    private static func words(_ words: [UInt]) throws(Failure) -> UnsafeRawPointer {
        // Memory that the process keeps is no leak.
        peal_leaks_ignore_begin()
        defer { peal_leaks_ignore_end() }
        let address = known.withLock { known -> UInt? in
            if let address = known[words] { return address }
            guard let memory = peal_memory_allocate(words.count * TableLayout.word) else { return nil }
            for (index, word) in words.enumerated() {
                memory.storeBytes(of: word, toByteOffset: index * TableLayout.word, as: UInt.self)
            }
            let address = UInt(bitPattern: memory)
            known[words] = address
            return address
        }
        guard let address, let memory = UnsafeRawPointer(bitPattern: address) else { throw .outOfMemory }
        return memory
    }

    /// The table of a protocol, with those of the protocols that it adopts.
    ///
    /// - Parameter functions: By the index of the method.
    static func make(
        of proto: PealProtocol, in layout: ProxyLayout, _ functions: [UnsafeRawPointer?]
    ) throws(Failure) -> UnsafeRawPointer {
        var table: [UInt] = []
        for adopted in proto.adopted {
            table.append(UInt(bitPattern: try make(of: adopted, in: layout, functions)))
        }
        for index in layout.indices[proto] ?? [] { table.append(UInt(bitPattern: functions[index])) }
        return try words([UInt((table.count + 1) * TableLayout.word)] + table)
    }

    /// Makes the path from a table of the proxy's protocol to a method's function: the number of steps, and the offset
    /// of each step in bytes.
    static func path(_ offsets: [Int]) throws(Failure) -> UnsafeRawPointer {
        try words(([offsets.count] + offsets).map { UInt(bitPattern: $0) })
    }

    /// Follows a path. Returns nil if a table on the way is too short or missing.
    static func function(at path: UnsafeRawPointer, in table: UnsafeRawPointer) -> UnsafeRawPointer? {
        let count = path.load(as: Int.self)
        var element: UnsafeRawPointer? = table
        for step in 1...count {
            let offset = path.load(fromByteOffset: step * TableLayout.word, as: Int.self)
            guard let here = element, offset + TableLayout.word <= here.load(as: Int.self) else { return nil }
            element = here.load(fromByteOffset: offset, as: UnsafeRawPointer?.self)
        }
        return element
    }
}
