internal import CPeal

extension Center {
    /// Registers a service. Its instance is created at the first get.
    ///
    /// ```swift
    /// try center.register(AccountService.self, clearData: { $0.forgetUser() }) { creation in
    ///     AccountService(database: try creation.get(Database.self))
    /// }
    /// try center.register((any Mail).self) { _ in SMTPMail() }     // found by a protocol, not by its own type
    /// ```
    ///
    /// The closures are retained while the service is registered or an instance exists. They run on the thread that
    /// needs them, with no lock held.
    ///
    /// - Parameters:
    ///   - type: The type by which it is got, also a protocol's `any`. A get by another type throws ``Status/type``.
    ///   - name: 1 to 255 bytes; the type's full name by default. Names that begin with `peal.` are reserved for peal.
    ///   - isPersistent: True if the instance stays when a session ends (``endSession()``).
    ///   - dependencies: Services that are created before it, and live as long.
    ///   - provides: Tables of C functions for protocols that it provides to C, and by which it may be found.
    ///   - owner: The owner; nil for the owner that the thread has entered, if any.
    ///   - initialize: Runs once the instance is published: a get from within returns it, other threads wait. Its error
    ///     fails the creation.
    ///   - clearData: Clears the data of the session that ends.
    ///   - end: Runs when the instance ends, after its last use, also where `initialize` has thrown.
    ///   - create: Makes the instance. Its error fails the get with ``Status/creation``, and is in that error's
    ///     sentence; the next get tries again. It may get other services, and must not remove any.
    /// - Returns: The service, which leads to its instance without a name.
    /// - Throws: ``PealError``: ``Status/conflict`` when the name is taken, ``Status/conformance`` for a table
    ///   that does not fit its protocol, ``Status/notFound`` for an unknown protocol, ``Status/argument`` for a bad
    ///   name.
    ///
    /// Any thread, also from a callback and a creation. The C interface's `peal_service_register`.
    @discardableResult
    public func register<Instance: Sendable>(
        _ type: Instance.Type = Instance.self,
        named name: String? = nil,
        isPersistent: Bool = false,
        dependencies: [Dependency] = [],
        provides: [Provision] = [],
        owner: Owner? = nil,
        initialize: (@Sendable (Instance, borrowing Creation) throws -> Void)? = nil,
        clearData: (@Sendable (Instance) -> Void)? = nil,
        end: (@Sendable (Instance) -> Void)? = nil,
        create: @escaping @Sendable (borrowing Creation) throws -> Instance
    ) throws(PealError) -> ServiceProvider<Instance> {
        let recipe = TypedRecipe(create: create, initialize: initialize, clearData: clearData, end: end)
        let name = name ?? TypeName.of(type)
        let mark = try SwiftMark.define(in: handle)
        var description = peal_service_description()
        description.flags = isPersistent ? UInt32(PEAL_SERVICE_PERSISTENT.rawValue) : 0
        description.create = ServiceFunctions.create
        description.`init` = initialize == nil ? nil : ServiceFunctions.initialize
        description.clear_data = clearData == nil ? nil : ServiceFunctions.clearData
        description.destroy = ServiceFunctions.destroy
        description.owner = owner?.handle ?? peal_owner()
        let service = try register(
            description, name, dependencies.map(\.name), provides + [SwiftMark.provision], recipe)
        return withExtendedLifetime(recipe) {
            // If the registration has already ended, the recipe's end after this closure removes the note.
            recipe.service = service.id
            ServiceTypes.note(type, of: service, mark: mark)
            return ServiceProvider(service, mark: mark)
        }
    }

    private func register(
        _ functions: peal_service_description, _ name: String, _ dependencies: [String], _ provides: [Provision],
        _ recipe: ServiceRecipe
    ) throws(PealError) -> peal_service {
        for text in dependencies { try CStrings.check(text, is: "the dependency") }
        try CStrings.check(name, is: "the service's name")
        return try CStrings.withList([name] + dependencies) { names throws(PealError) in
            try ProvisionList.with(provides) { provisions throws(PealError) in
                var description = functions
                description.size = MemoryLayout<peal_service_description>.size
                description.name = names[0]
                description.dependencies = names + 1
                description.provides = provisions
                // Released by C, also where registering fails.
                description.context = Box.retain(recipe)
                description.release = Box.release
                var service = peal_service()
                try PealError.check(peal_service_register(handle, &description, &service))
                return service
            }
        }
    }
}
