internal import CPealSupport
import PealCall

extension Observation {
    func addPointers(to search: inout PointerSearch) {
        search.add(record, "an", "observer of \(proto.name)") { search in
            if let handler = record.pointee.handler {
                search.add(handler.pointee.function, "handler of an observer of \(proto.name)")
            } else {
                for (method, function) in functions { search.add(address: function, "observer of \(method.title)") }
            }
        }
    }

    /// The functions for its methods, from the copies of its tables.
    private var functions: [(Method, UInt)] {
        let tables = tables
        return methods.compactMap { method in
            let offset = TableLayout.methodOffset(method.rank, adoptedCount: method.origin.adopted.count)
            return tables[method.origin].map { (method, $0.load(fromByteOffset: offset, as: UInt.self)) }
        }
    }

    /// The first copy follows the record; each leads to those of the adopted protocols.
    private var tables: [PealProtocol: UnsafeRawPointer] {
        let first = UnsafeRawPointer(record) + MemoryLayout<ObserverRecord>.size.roundedUp(to: TableLayout.word)
        var tables: [PealProtocol: UnsafeRawPointer] = [:]
        var unread = [(proto, first)]
        while let (proto, table) = unread.popLast() {
            guard tables.updateValue(table, forKey: proto) == nil else { continue }
            for (index, adopted) in proto.adopted.enumerated() {
                let offset = TableLayout.adoptedOffset(index)
                table.load(fromByteOffset: offset, as: UnsafeRawPointer?.self).map { unread.append((adopted, $0)) }
            }
        }
        return tables
    }
}
