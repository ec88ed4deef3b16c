public import CPeal

extension Center {
    /// Gets the instance of a service, which is created on first use, for as long as the use is kept.
    ///
    /// ```swift
    /// let account = try center.get(AccountService.self)
    /// account.instance.signIn()
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered.
    ///   - name: Its name; the type's full name by default.
    /// - Throws: ``PealError``: ``Status/notFound``, whose sentence lists near names; the rest as
    ///   ``ServiceProvider/get()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_get`.
    @inlinable
    public func get<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, named name: String? = nil
    ) throws(PealError) -> ServiceUse<Instance> {
        try withService(type, named: name) { service throws(PealError) in try service.get() }
    }

    /// Gets the instance of the service that provides a protocol, for as long as the use is kept.
    ///
    /// - Throws: ``PealError``; also ``Status/ambiguous`` when several provide it.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_get_provider`.
    public func get<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, providing protocolName: String
    ) throws(PealError) -> ServiceUse<Instance> {
        try service(type, providing: protocolName).get()
    }

    /// Calls a closure with the instance of a service, on this thread.
    ///
    /// To do so often, keep the ``ServiceProvider``: the search for it takes several times as long as the rest.
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered.
    ///   - name: Its name; the type's full name by default.
    ///   - body: Called once, unless this throws.
    /// - Throws: ``PealError`` as ``get(_:named:)``; then the closure was not called.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_scope_begin` and `peal_scope_end`.
    @discardableResult @inlinable
    public func with<Instance: Sendable, Result>(
        _ type: Instance.Type = Instance.self, named name: String? = nil, _ body: (Instance) -> Result
    ) throws(PealError) -> Result {
        var scope = peal_scope()
        let instance = try withService(type, named: name) { service throws(PealError) in try service.begin(&scope) }
        defer { _ = peal_scope_end(&scope) }
        return body(instance)
    }

    /// Calls a closure that throws with the instance of a service, on this thread.
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered.
    ///   - name: Its name; the type's full name by default.
    ///   - body: Called once, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; ``PealError`` as ``get(_:named:)``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_scope_begin` and `peal_scope_end`.
    @discardableResult @inlinable
    public func with<Instance: Sendable, Result>(
        _ type: Instance.Type = Instance.self, named name: String? = nil, _ body: (Instance) throws -> Result
    ) throws -> Result {
        var scope = peal_scope()
        let instance = try withService(type, named: name) { service throws(PealError) in try service.begin(&scope) }
        defer { _ = peal_scope_end(&scope) }
        return try body(instance)
    }

    /// Ends a session, for example at a log-out. All instances clear their data, then the instances that are not
    /// persistent are removed, both in reverse order of creation.
    ///
    /// - Returns: How many were removed, and ``Ending/pending`` when some of them are still in use.
    /// - Throws: ``PealError``: ``Status/state`` from within a creation or the end of a session; ``Status/handle``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_session_end`.
    @discardableResult
    public func endSession() throws(PealError) -> (removed: Int, ending: Ending) {
        var removed = 0
        let ending = try Ending(checking: peal_session_end(handle, &removed))
        return (removed, ending)
    }
}

extension Center {
    /// Finds a service by its type or its name, created or not.
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered. This is checked when it is got.
    ///   - name: Its name; the type's full name by default.
    /// - Throws: ``PealError`` with ``Status/notFound``, whose sentence lists near names.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_find`.
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
    /// Thread rule: any thread. The C interface's `peal_service_find_provider`.
    public func service<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, providing protocolName: String
    ) throws(PealError) -> ServiceProvider<Instance> {
        ServiceProvider(try findProvider(of: protocolName), in: self)
    }

    /// Finds a service by its name, in whatever language it was registered.
    ///
    /// - Parameter name: Its name.
    /// - Returns: The service, created or not.
    /// - Throws: ``PealError`` with ``Status/notFound``, whose sentence lists near names.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_find`.
    public func anyService(named name: String) throws(PealError) -> AnyService {
        AnyService(try find(name))
    }

    /// Finds the service that provides a protocol, in whatever language it was registered.
    ///
    /// - Parameter protocolName: The protocol's name.
    /// - Returns: The service, created or not.
    /// - Throws: ``PealError``: ``Status/notFound``; ``Status/ambiguous`` when several provide it.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_find_provider`.
    public func anyService(providing protocolName: String) throws(PealError) -> AnyService {
        AnyService(try findProvider(of: protocolName))
    }

    /// The services of the center, peal's own included, in order of registration.
    ///
    /// - Returns: The services that are registered now.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_list`.
    public func services() throws(PealError) -> [AnyService] {
        try CStrings.handles(peal_service()) { Status(peal_service_list(handle, $0, $1, $2)) }.map(AnyService.init)
    }

    func find(_ name: String) throws(PealError) -> peal_service {
        try CStrings.check(name, is: "the service's name")
        var service = peal_service()
        try PealError.check(peal_service_find(handle, name, &service))
        return service
    }

    private func findProvider(of protocolName: String) throws(PealError) -> peal_service {
        try CStrings.check(protocolName, is: "the protocol's name")
        var service = peal_service()
        try PealError.check(peal_service_find_provider(handle, protocolName, &service))
        return service
    }
}
