/// Compares tables of one protocol by the functions in them and in the tables of the adopted protocols. A missing table
/// counts as one without functions.
enum TableContent {
    static func hash(_ table: UnsafeRawPointer, of proto: PealProtocol) -> UInt64 {
        var hash: UInt64 = 0
        add(table, of: proto, to: &hash)
        return hash
    }

    private static func add(_ table: UnsafeRawPointer?, of proto: PealProtocol, to hash: inout UInt64) {
        let functions = functions(table, of: proto)
        add(UInt(functions.count), to: &hash)
        for function in functions { add(function, to: &hash) }
        guard let ancestry = proto.ancestry else { return }
        for (index, adopted) in ancestry.adopted.enumerated() {
            add(adoptedTable(index, of: table), of: adopted, to: &hash)
        }
    }

    private static func add(_ word: UInt, to hash: inout UInt64) {
        hash = (hash ^ UInt64(word)) &* 0x9e37_79b9_7f4a_7c15
        hash ^= hash >> 32
    }

    /// Compares tables of a protocol that adopts none, word by word. The first word is the size.
    @inline(__always)
    static func isEqual(_ table: UnsafeRawPointer, to other: UnsafeRawPointer) -> Bool {
        let words = UInt(table.load(as: UInt.self)) / UInt(TableLayout.word)
        var index: UInt = 0
        repeat {
            let offset = Int(bitPattern: index &* UInt(TableLayout.word))
            guard
                table.load(fromByteOffset: offset, as: UInt.self) == other.load(fromByteOffset: offset, as: UInt.self)
            else { return false }
            index &+= 1
        } while index < words
        return true
    }

    static func isEqual(_ table: UnsafeRawPointer?, to other: UnsafeRawPointer?, of proto: PealProtocol) -> Bool {
        if table == other { return true }
        let (own, others) = (functions(table, of: proto), functions(other, of: proto))
        guard own.count == others.count else { return false }
        for index in 0..<own.count where own[index] != others[index] { return false }
        guard let ancestry = proto.ancestry else { return true }
        for (index, adopted) in ancestry.adopted.enumerated() {
            let (own, others) = (adoptedTable(index, of: table), adoptedTable(index, of: other))
            guard isEqual(own, to: others, of: adopted) else { return false }
        }
        return true
    }

    private static func functions(_ table: UnsafeRawPointer?, of proto: PealProtocol) -> UnsafeBufferPointer<UInt> {
        guard let table else { return UnsafeBufferPointer(start: nil, count: 0) }
        let first = TableLayout.methodOffset(0, adoptedCount: proto.adoptedCount)
        return UnsafeBufferPointer(
            start: (table + first).assumingMemoryBound(to: UInt.self),
            count: (table.load(as: Int.self) - first) / TableLayout.word)
    }

    private static func adoptedTable(_ index: Int, of table: UnsafeRawPointer?) -> UnsafeRawPointer? {
        table?.load(fromByteOffset: TableLayout.adoptedOffset(index), as: UnsafeRawPointer?.self)
    }
}
