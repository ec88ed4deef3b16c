internal import CPealSupport

/// The names of all services of all centers, in tables that readers search without a lock.
enum ServiceNames {
    /// Runs `body` under the lock that guards these tables, the lists of services of all centers, and the states of all
    /// services. `body` runs no user code.
    @inline(__always)
    static func locked<Value, Mistake: Error>(_ body: () throws(Mistake) -> Value) throws(Mistake) -> Value {
        peal_services_lock()
        defer { peal_services_unlock() }
        return try body()
    }

    /// Adds the name of a service and the protocols that it provides. The caller must hold the lock.
    static func add(_ service: Service) throws(Failure) {
        let (id, record) = (service.id, service.record)
        guard named(record.pointee.name, record.pointee.hash, in: record.pointee.center) == nil else {
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
            if let old { peal_names_remove(peal_names_of_providers(), provided.pointee.hash, old) }
            // If memory is refused, readers take the slow path.
            if let new { _ = peal_names_add(peal_names_of_providers(), provided.pointee.hash, new) }
        }
    }

    static func find(_ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64) -> Service? {
        locked { named(name, hash, in: center)?.object }
    }

    /// The registered service of a name, by the hash of the name. The caller must hold the lock.
    static func named(
        _ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64
    ) -> Borrowed<Service>? {
        var cursor: UInt64 = 0
        while true {
            let id = peal_names_next(peal_names_of_services(), hash, &cursor)
            guard id != 0 else { return nil }
            // The id is in the table, so the service is registered.
            if let record = peal_service_element_of(id)?.pointee.record, record.pointee.center == center,
                strcmp(record.pointee.name, name) == 0
            {
                return service(of: record)
            }
        }
    }

    /// The registered service of an id; nil if the id is stale. The caller must hold the lock.
    static func registered(_ id: UInt64) -> Borrowed<Service>? {
        guard let element = peal_service_element_of(id), peal_service_is_of(element, id),
            let record = element.pointee.record
        else { return nil }
        return service(of: record)
    }

    private static func service(of record: ServiceMemory.Pointer) -> Borrowed<Service> {
        Borrowed(at: record.pointee.service.unsafelyUnwrapped)
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
