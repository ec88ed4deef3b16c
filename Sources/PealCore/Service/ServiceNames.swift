internal import CPealSupport
import PealCall

/// The names of all services of all centers, in tables that readers search without a lock.
enum ServiceNames {
    private static let writers = Guarded(())

    /// The caller must hold the lock of the center's services.
    static func add(_ service: Service) throws(Failure) {
        let (name, center) = (service.record.pointee.name, service.center.number)
        let hash = peal_name_hash(center, name)
        try writers.withLock { (_) throws(Failure) in
            guard find(name, hash, in: center) == nil else {
                throw Failure(.conflict, "there is a service \(service.name) in this center already; unregister it, or choose another name")
            }
            guard peal_names_add(peal_names_of_services(), hash, service.number) else { throw .outOfMemory }
        }
    }

    static func remove(_ service: Service) {
        let hash = peal_name_hash(service.center.number, service.record.pointee.name)
        writers.withLock { _ in peal_names_remove(peal_names_of_services(), hash, service.number) }
    }

    static func find(_ name: UnsafePointer<CChar>, in center: UInt64) -> UInt64? {
        let hash = peal_name_hash(center, name)
        return writers.withLock { _ in find(name, hash, in: center) }
    }

    /// The caller must hold the lock of the writers.
    private static func find(_ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64) -> UInt64? {
        var cursor: UInt64 = 0
        while true {
            let number = peal_names_next(peal_names_of_services(), hash, &cursor)
            guard number != 0 else { return nil }
            // It is in the table, so its record exists.
            guard let record = peal_service_place_of(number)?.pointee.record, record.pointee.center == center else { continue }
            if strcmp(record.pointee.name, name) == 0 { return number }
        }
    }

    /// Sets the service that readers get by a protocol, if there is exactly one.
    static func setProvider(_ number: UInt64?, of proto: UnsafePointer<CChar>, in center: UInt64, insteadOf old: UInt64?) {
        writers.withLock { _ in
            let hash = peal_name_hash(center, proto)
            if let old { peal_names_remove(peal_names_of_providers(), hash, old) }
            // Without memory for it readers take the slow path.
            if let number { _ = peal_names_add(peal_names_of_providers(), hash, number) }
        }
    }
}
