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
    ///   - label: A text by which people recognise the service, in tools and in ``ServiceInfo/label``; nil for none.
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
    /// Thread rule: any thread. The C interface's `peal_service_register`.
    @discardableResult
    public func register<Instance: Sendable>(
        _ type: Instance.Type = Instance.self,
        named name: String? = nil,
        label: String? = nil,
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
            description, name, label, dependencies.map(\.name), provides + [SwiftMark.provision], recipe)
        return withExtendedLifetime(recipe) {
            // If the registration has already ended, the recipe's end after this closure removes the note.
            recipe.service = service.id
            ServiceTypes.note(ServiceAnchor(type, mark: mark), of: service)
            return ServiceProvider(service, mark: mark)
        }
    }

    private func register(
        _ functions: peal_service_description, _ name: String, _ label: String?, _ dependencies: [String],
        _ provides: [Provision], _ recipe: ServiceRecipe
    ) throws(PealError) -> peal_service {
        for text in dependencies { try CStrings.check(text, is: "the dependency") }
        try CStrings.check(name, is: "the service's name")
        return try CStrings.withLabel(label) { label throws(PealError) in
            try CStrings.withList([name] + dependencies) { names throws(PealError) in
                try ProvisionList.with(provides) { provisions throws(PealError) in
                    var description = functions
                    description.size = MemoryLayout<peal_service_description>.size
                    description.name = names[0]
                    description.label = label
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
}

/// The closures of a service that is made in Swift: the context of its C functions.
class ServiceRecipe {
    /// The id of the service's handle; 0 until it is registered. The recipe ends after the registration and its
    /// instances.
    final var service: UInt64 = 0

    deinit { ServiceTypes.remove(service) }

    /// Makes the instance. Overridden.
    func make(_ creation: borrowing Creation) throws -> InstanceBox? { nil }
    /// Runs once the instance is published. Overridden.
    func initialize(_ box: InstanceBox, _ creation: borrowing Creation) throws {}
    /// Overridden.
    func clearData(_ box: InstanceBox) {}
    /// Overridden.
    func end(_ box: InstanceBox) {}
}

/// The functions of a service of one type.
final class TypedRecipe<Instance: Sendable>: ServiceRecipe {
    typealias Create = @Sendable (borrowing Creation) throws -> Instance
    typealias Initialize = @Sendable (Instance, borrowing Creation) throws -> Void
    typealias Visit = @Sendable (Instance) -> Void

    private let create: Create
    private let initialize: Initialize?
    private let clearData: Visit?
    private let end: Visit?

    init(create: @escaping Create, initialize: Initialize?, clearData: Visit?, end: Visit?) {
        self.create = create
        self.initialize = initialize
        self.clearData = clearData
        self.end = end
    }

    override func make(_ creation: borrowing Creation) throws -> InstanceBox? {
        let value = try create(creation)
        return TypedBox(value, module: value as? any Module)
    }

    override func initialize(_ box: InstanceBox, _ creation: borrowing Creation) throws {
        if let value = value(in: box) { try initialize?(value, creation) }
    }

    override func clearData(_ box: InstanceBox) {
        if let value = value(in: box) { clearData?(value) }
    }

    override func end(_ box: InstanceBox) {
        if let value = value(in: box) { end?(value) }
    }

    private func value(in box: InstanceBox) -> Instance? { (box as? TypedBox<Instance>)?.value }
}

/// The C functions of every service that is made in Swift. They find its closures by its context and its box.
enum ServiceFunctions {
    static let create: @convention(c) (UnsafeMutablePointer<peal_creation>?) -> UnsafeMutableRawPointer? = { memory in
        guard let memory, let context = memory.pointee.context else { return nil }
        let recipe = Box.object(context, as: ServiceRecipe.self)
        let kept = UseKeeper(of: String(cString: memory.pointee.service))
        let creation = Creation(memory, keeping: kept)
        do {
            guard let box = try recipe.make(creation) else { return nil }
            box.recipe = recipe
            box.kept = kept
            return Box.retain(box)
        } catch {
            creation.fail(with: error)
            return nil
        }
    }

    static let initialize: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<peal_creation>?) -> Bool = {
        pointer, memory in
        guard let memory, let box = box(pointer), let recipe = box.recipe, let kept = box.kept else { return false }
        let creation = Creation(memory, keeping: kept)
        do {
            try recipe.initialize(box, creation)
            return true
        } catch {
            creation.fail(with: error)
            return false
        }
    }

    static let clearData: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let box = box(pointer) { box.recipe?.clearData(box) }
    }

    static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let box = box(pointer) { box.recipe?.end(box) }
        Box.release(pointer)
    }

    private static func box(_ pointer: UnsafeMutableRawPointer?) -> InstanceBox? {
        pointer.map { Box.object($0, as: InstanceBox.self) }
    }
}

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
        let (use, box) = try service.take()
        try kept.keep(use)
        return box.read { $0.value }
    }

    /// Gets the service that provides a protocol; the rest as for ``get(_:named:)``.
    ///
    /// - Throws: ``PealError`` with ``Status/ambiguous`` where several provide it.
    ///
    /// The thread of the creation. The C interface's `peal_service_get_provider`.
    public func get<Other: Sendable>(
        _ type: Other.Type = Other.self, providing protocolName: String
    ) throws(PealError) -> Other {
        let (use, box) = try center.service(type, providing: protocolName).take()
        try kept.keep(use)
        return box.read { $0.value }
    }

    /// Reports the failure of a creation to C.
    func fail(with error: any Error) {
        let sentence = (error as? PealError)?.message ?? String(describing: error)
        sentence.copy(intoPealArray: &memory.pointee.message)
    }
}
