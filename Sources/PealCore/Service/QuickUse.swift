public import CPealSupport

/// A use that was added without a lock. It is nil if the slow path is needed, for any reason.
public struct QuickUse {
    public let element: UnsafeMutablePointer<peal_instance_element>
    public let id: UInt64

    /// Adds a use of the current instance of the service with this id.
    @inlinable
    @inline(__always)
    public init?(_ service: UInt64) {
        var instance: UInt64 = 0
        guard let element = peal_service_use_fast(service, &instance) else { return nil }
        self.element = element
        id = instance
    }

    @inlinable
    @inline(__always)
    public static func named(_ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64) -> QuickUse? {
        guard let taken = QuickUse(peal_names_hint(peal_names_of_services(), hash)) else { return nil }
        // The use keeps the record, so the record is read only now.
        if let record = taken.element.pointee.record, record.pointee.center == center,
            strcmp(record.pointee.name, name) == 0
        {
            return taken
        }
        taken.release()
        return nil
    }

    @inlinable
    @inline(__always)
    public static func providing(
        _ proto: UnsafePointer<CChar>, _ size: Int, in center: UInt64
    ) -> (QuickUse, UnsafeRawPointer)? {
        guard let taken = QuickUse(peal_names_hint(peal_names_of_providers(), peal_name_hash(center, proto))) else {
            return nil
        }
        if let record = taken.element.pointee.record, record.pointee.center == center,
            let provided = peal_record_find_named(record, proto), let table = peal_provided_table(provided, size)
        {
            return (taken, table)
        }
        taken.release()
        return nil
    }

    @usableFromInline
    @inline(never)
    func release() {
        try? ServiceUse.end(id)
    }
}
