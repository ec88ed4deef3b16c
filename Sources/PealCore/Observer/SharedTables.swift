internal import CPealSupport

/// The tables of a protocol's observers, each once. Guarded by the center's lock.
struct SharedTables {
    /// The tables of the last registration: most observers that are registered in a row have the same.
    private var last: ObserverTables?
    private var byHash: [UInt64: ObserverTables] = [:]
    /// The tables of functions by names, by their hash: neither names nor prototypes need be read again.
    private var named: [UInt64: KnownFunctions] = [:]
    /// The functions of the last such registration, which `named` keeps.
    private var lastNamed: Borrowed<KnownFunctions>?
    /// The number of tables at which those without observers are dropped.
    private var limit: UInt32 = minimumLimit

    private static let minimumLimit: UInt32 = 16

    /// The tables of the last registration, if a caller's table has the same functions; otherwise nil. Finds only tables
    /// that lack no required method, of a protocol that adopts none. The size of the caller's table need not be checked:
    /// it is that of a checked table, or this returns nil.
    ///
    /// Mutating, so that no caller copies the tables for it.
    @inline(__always)
    mutating func findLast(_ table: UnsafeRawPointer, of proto: PealProtocol) -> Borrowed<ObserverTables>? {
        guard let last, last.handled == nil, last.isComplete, proto.ancestry == nil,
            TableContent.isEqual(last.table, to: table)
        else { return nil }
        return Borrowed(last)
    }

    /// The tables with the functions of a caller's table whose size has been checked; nil if they must be made.
    ///
    /// Returns nil for a diamond, because the reader of tables must check that each path has the same table.
    mutating func find(_ table: UnsafeRawPointer, of proto: PealProtocol) -> ObserverTables? {
        guard !proto.hasDiamond else { return nil }
        if let last, last.handled == nil, TableContent.isEqual(last.table, to: table, of: proto) { return last }
        guard let found = byHash[TableContent.hash(table, of: proto)], found.handled == nil,
            TableContent.isEqual(found.table, to: table, of: proto)
        else { return nil }
        last = found
        return found
    }

    /// The same for the last registration by names, if its functions are equal. A prototype that was accepted stays so,
    /// since declared types never change.
    @inline(__always)
    mutating func findLast(_ functions: inout peal_named_functions) -> Borrowed<ObserverTables>? {
        lastNamed?.with { $0.isEqual(to: &functions) && $0.tables.isComplete ? Borrowed($0.tables) : nil }
    }

    /// The tables of functions that were checked before; nil if they must be made.
    mutating func find(_ functions: inout peal_named_functions) -> ObserverTables? {
        guard let known = named[peal_named_functions_hash(&functions)], known.isEqual(to: &functions) else {
            return nil
        }
        lastNamed = Borrowed(known)
        return known.tables
    }

    /// Stores the tables of checked functions. If memory is refused, the next registration reads the names again.
    mutating func note(_ tables: ObserverTables, of functions: inout peal_named_functions) {
        guard let known = KnownFunctions(&functions, tables) else { return }
        if named.count >= Int(limit) { removeNamed() }
        named[peal_named_functions_hash(&functions)] = known
        lastNamed = Borrowed(known)
    }

    /// Returns equal tables that exist already, or these, which are shared from now on.
    mutating func share(_ tables: ObserverTables) -> ObserverTables {
        if let found = byHash[tables.hash], found.isEqual(to: tables) {
            last = found
            return found
        }
        if byHash.count >= Int(limit) { dropUnused() }
        // If two tables have one hash, the later ones replace the earlier, which are not shared any more.
        byHash.updateValue(tables, forKey: tables.hash)?.endAdvance()
        tables.beginAdvance()
        last = tables
        return tables
    }

    /// Releases all tables. Records may still have some of them.
    mutating func removeAll() {
        for tables in byHash.values { tables.endAdvance() }
        self = SharedTables()
    }

    private mutating func removeNamed() {
        lastNamed = nil
        named = [:]
    }

    private mutating func dropUnused() {
        last = nil
        removeNamed()
        var unused: [UInt64] = []
        var index = byHash.startIndex
        while index != byHash.endIndex {
            if byHash.values[index].hasNoRecords { byHash.values[index].endAdvance() }
            if isKnownUniquelyReferenced(&byHash.values[index]) { unused.append(byHash.keys[index]) }
            byHash.formIndex(after: &index)
        }
        for hash in unused { byHash[hash] = nil }
        limit = max(Self.minimumLimit, 2 * UInt32(byHash.count))
    }
}
