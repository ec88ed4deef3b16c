internal import CPeal

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
