/// The closures of a service that is made in Swift: the context of its C functions.
class ServiceRecipe {
    /// The number of the service; 0 until it is registered. The recipe ends after the registration and its instances.
    final var service: UInt64 = 0

    deinit { ServiceTypes.remove(service) }

    /// Makes the instance. Overridden.
    func make(_ creation: borrowing Creation) throws -> InstanceBox? { nil }
    /// Runs once the instance is in its place. Overridden.
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
