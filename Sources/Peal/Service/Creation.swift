internal import CPeal

/// A running creation of a service: the parameter of its closure.
///
/// It is valid inside the closure only, and cannot be kept. The C interface's `struct peal_creation`.
public struct Creation: ~Copyable {
    private let memory: UnsafeMutablePointer<peal_creation>
    private let kept: UseKeeper

    init(_ memory: UnsafeMutablePointer<peal_creation>, keeping kept: UseKeeper) {
        self.memory = memory
        self.kept = kept
    }

    /// The center that the service is in.
    ///
    /// Use this one: a closure that keeps a ``Center`` which the program made keeps it from ending.
    public var center: Center { Center(borrowing: memory.pointee.center) }

    /// Its name.
    public var serviceName: String { String(cString: memory.pointee.service) }

    /// Gets another service, which is created where it does not exist yet, and lives as long as the instance
    /// that is being made.
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered.
    ///   - name: Its name; the type's full name by default.
    /// - Throws: ``PealError``, as ``Center/get(_:named:)``. For a circular dependency it is ``Status/cycle`` with the
    ///   path, also in `initialize`. Throw it on: then the creation fails with this sentence. In `initialize`,
    ///   ``center`` leads to the service's own instance.
    ///
    /// The thread of the creation. The C interface's `peal_service_get`.
    public func get<Other: Sendable>(_ type: Other.Type = Other.self, named name: String? = nil) throws(PealError)
        -> Other
    {
        let service = try center.service(type, named: name)
        let (use, instance) = try service.take()
        try kept.keep(use)
        return instance
    }

    /// Gets the service that provides a protocol; the rest as for ``get(_:named:)``.
    ///
    /// - Throws: ``PealError`` with ``Status/ambiguous`` where several provide it.
    ///
    /// The thread of the creation. The C interface's `peal_service_get_provider`.
    public func get<Other: Sendable>(
        _ type: Other.Type = Other.self, providing protocolName: String
    ) throws(PealError) -> Other {
        let (use, instance) = try center.service(type, providing: protocolName).take()
        try kept.keep(use)
        return instance
    }

    /// Reports the failure of a creation to C.
    func fail(with error: any Error) {
        let sentence = (error as? PealError)?.message ?? String(describing: error)
        sentence.copy(intoPealArray: &memory.pointee.message)
    }
}
