internal import CPealSupport
import PealCall

extension Observation {
    func addPointers(to search: inout PointerSearch) {
        search.add(record, "an", "observer of \(proto.name)") { search in
            if let handler = record.handler {
                search.add(handler.pointee.function, "handler of an observer of \(proto.name)")
            } else {
                for (method, listing) in zip(methods, record.tables.listings) {
                    search.add(address: UInt(bitPattern: listing.function), "observer of \(method.title)")
                }
            }
        }
    }
}
