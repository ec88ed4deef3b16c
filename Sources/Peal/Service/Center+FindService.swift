internal import CPeal

extension Center {
    /// Finds a service by its type or its name, created or not.
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered. This is checked when it is got.
    ///   - name: Its name; the type's full name by default.
    /// - Throws: ``PealError`` with ``Status/notFound``, whose sentence lists near names.
    ///
    /// Any thread. The C interface's `peal_service_find`.
    public func service<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, named name: String? = nil
    ) throws(PealError) -> ServiceProvider<Instance> {
        ServiceProvider(try find(name ?? TypeName.of(type)), in: self)
    }

    /// Finds the service that provides a protocol.
    ///
    /// - Throws: ``PealError``: ``Status/notFound``; ``Status/ambiguous`` when several provide it: find the
    ///   one that you want by its name.
    ///
    /// Any thread. The C interface's `peal_service_find_provider`.
    public func service<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, providing protocolName: String
    ) throws(PealError) -> ServiceProvider<Instance> {
        ServiceProvider(try findProvider(of: protocolName), in: self)
    }

    /// Finds a service by its name, whatever made it.
    ///
    /// - Parameter name: Its name.
    /// - Returns: The service, created or not.
    /// - Throws: ``PealError`` with ``Status/notFound``, whose sentence lists near names.
    ///
    /// Any thread. The C interface's `peal_service_find`.
    public func anyService(named name: String) throws(PealError) -> AnyService {
        AnyService(try find(name))
    }

    /// Finds the service that provides a protocol, whatever made it.
    ///
    /// - Parameter protocolName: The protocol's name.
    /// - Returns: The service, created or not.
    /// - Throws: ``PealError``: ``Status/notFound``; ``Status/ambiguous`` when several provide it.
    ///
    /// Any thread. The C interface's `peal_service_find_provider`.
    public func anyService(providing protocolName: String) throws(PealError) -> AnyService {
        AnyService(try findProvider(of: protocolName))
    }

    /// The services of the center, peal's own included, in order of registration.
    ///
    /// - Returns: The services that are registered now.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Any thread. The C interface's `peal_service_list`.
    public func services() throws(PealError) -> [AnyService] {
        try CStrings.handles(peal_service()) { Status(peal_service_list(handle, $0, $1, $2)) }.map(AnyService.init)
    }

    func find(_ name: String) throws(PealError) -> peal_service {
        try NameList.check(name, is: "the service's name")
        var service = peal_service()
        try PealError.check(peal_service_find(handle, name, &service))
        return service
    }

    private func findProvider(of protocolName: String) throws(PealError) -> peal_service {
        try NameList.check(protocolName, is: "the protocol's name")
        var service = peal_service()
        try PealError.check(peal_service_find_provider(handle, protocolName, &service))
        return service
    }
}
