internal import CPealSupport
import PealCall

/// The names of all services of all centers, in tables that readers search without a lock.
enum ServiceNames {
    private static let writers = Guarded(())

    /// Runs `body` under the lock that guards these tables and the services of all centers. A registration and its end
    /// change both, so one lock serves both.
    @inline(__always)
    static func locked<Value, Mistake: Error>(_ body: () throws(Mistake) -> Value) throws(Mistake) -> Value {
        try writers.withLock { (_) throws(Mistake) in Locked(value: try body()) }.value
    }

    /// Unchecked: the value is returned to the thread that made it.
    private struct Locked<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Adds the name of a service and the protocols that it provides. The caller must hold the lock.
    static func add(_ service: Service) throws(Failure) {
        let (id, record) = (service.id, service.record)
        guard find(record.pointee.name, record.pointee.hash, in: record.pointee.center) == nil else {
            throw Failure(
                .conflict,
                "there is a service \(String(cString: record.pointee.name)) in this center already; unregister it, or choose another name"
            )
        }
        guard peal_names_add(peal_names_of_services(), record.pointee.hash, id) else { throw .outOfMemory }
        countProviders(id, record, by: 1)
    }

    /// The caller must hold the lock.
    static func remove(_ service: Service) {
        let (id, record) = (service.id, service.record)
        peal_names_remove(peal_names_of_services(), record.pointee.hash, id)
        countProviders(id, record, by: -1)
    }

    /// Adds a service to the providers of its protocols, or removes it. Readers get a service by a protocol if there is
    /// exactly one.
    private static func countProviders(_ id: UInt64, _ record: ServiceMemory.Pointer, by change: Int) {
        for index in 0..<Int(record.pointee.provided_count) {
            let provided = peal_record_provided(record) + index
            let (old, new) = ServiceMemory.borrowedTables(of: provided).with { tables in
                Borrowed(tables.proto).with { $0.addProvider(id, change) }
            }
            guard old != nil || new != nil else { continue }
            let hash = peal_name_hash(record.pointee.center, provided.pointee.name)
            if let old { peal_names_remove(peal_names_of_providers(), hash, old) }
            // If memory is refused, readers take the slow path.
            if let new { _ = peal_names_add(peal_names_of_providers(), hash, new) }
        }
    }

    /// Adds a use of a service whose instance exists or is ready made, so no code of the program runs while the slot
    /// of the service is pinned.
    ///
    /// - Returns: Nil if the hint of the name leads to no such service.
    static func use(_ name: UnsafePointer<CChar>, in center: UInt64) throws(Failure) -> ServiceUse? {
        let hint = peal_names_hint(peal_names_of_services(), peal_name_hash(center, name))
        let used = try Handles.services.withBorrowed(hint) { (service) throws(Failure) in
            try service.with { (service) throws(Failure) in
                service.isReadyMade && isNamed(service.record, name, in: center) ? try service.use() : nil
            }
        }
        return used ?? nil
    }

    static func find(_ name: UnsafePointer<CChar>, in center: UInt64) -> Service? {
        let hash = peal_name_hash(center, name)
        // The record of the service verifies the hint.
        let hint = peal_names_hint(peal_names_of_services(), hash)
        if let found = Handles.services.find(hint), isNamed(found.record, name, in: center) { return found }
        return writers.withLock { _ in find(name, hash, in: center) }.flatMap(Handles.services.find)
    }

    private static func isNamed(_ record: ServiceMemory.Pointer, _ name: UnsafePointer<CChar>, in center: UInt64)
        -> Bool
    {
        record.pointee.center == center && strcmp(record.pointee.name, name) == 0
    }

    /// The caller must hold the lock.
    private static func find(_ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64) -> UInt64? {
        var cursor: UInt64 = 0
        while true {
            let id = peal_names_next(peal_names_of_services(), hash, &cursor)
            guard id != 0 else { return nil }
            // The id is in the table, so the memory of the service's record exists.
            if let element = peal_service_element_of(id), let record = peal_service_named_record(element),
                isNamed(record, name, in: center)
            {
                return id
            }
        }
    }
}

extension PealProtocol {
    /// Adds a service to the providers, or removes it.
    ///
    /// - Returns: The only provider before and after that; nil if there is not exactly one.
    fileprivate func addProvider(_ id: UInt64, _ change: Int) -> (old: UInt64?, new: UInt64?) {
        let old = providers.only
        providers.count += Int32(change)
        providers.numbers ^= id
        return (old, providers.only)
    }
}
