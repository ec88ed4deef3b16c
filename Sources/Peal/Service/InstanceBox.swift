internal import CPeal
internal import Synchronization

/// The object that `self` points to in the C functions of a service or module that was made in Swift.
@usableFromInline
class InstanceBox {
    /// The type of what is inside.
    final let type: ObjectIdentifier
    final let typeName: String
    /// The type's name as a C string, for tools.
    final let typeNameInC: UnsafePointer<CChar>
    /// The instance as a module, where it is one.
    final let module: (any Module)?
    /// A service's closures, and the uses from its creation. The uses are released after the instance, which a subclass
    /// stores.
    final var recipe: ServiceRecipe?
    final var kept: UseKeeper?
    /// The module's steps and queue; nil in the box of a service's instance.
    final var steps: StepRegistration?
    final var queue: Queue?

    init<Instance>(of type: Instance.Type, module: (any Module)?) {
        self.type = ObjectIdentifier(type)
        typeName = TypeName.of(type)
        let characters = typeName.utf8CString
        let memory = UnsafeMutableBufferPointer<CChar>.allocate(capacity: characters.count)
        _ = memory.initialize(fromContentsOf: characters)
        typeNameInC = UnsafePointer(memory.baseAddress!)
        self.module = module
    }

    deinit { typeNameInC.deallocate() }

    /// The content, if it is of exactly this type.
    final func instance<Instance>(exactly type: Instance.Type) -> Instance? {
        guard self.type == ObjectIdentifier(type) else { return nil }
        return unsafeDowncast(self, to: TypedBox<Instance>.self).value
    }

    /// The content, if it can be cast to this type.
    final func instance<Instance>(as type: Instance.Type) -> Instance? {
        instance(exactly: type) ?? anyValue as? Instance
    }

    /// Overridden.
    var anyValue: Any { () }
}

/// An instance of one type, and what it was made with.
@usableFromInline
final class TypedBox<Instance>: InstanceBox {
    @usableFromInline let value: Instance

    init(_ value: Instance, module: (any Module)?) {
        self.value = value
        super.init(of: Instance.self, module: module)
    }

    override var anyValue: Any { value }
}

/// The Swift object for the `self` of a C function.
///
/// For tables that a service or a module made in Swift gives to C (``Provision``):
///
/// ```swift
/// table.next = { pointer in swiftInstance(of: Counter.self, at: pointer)?.next() ?? 0 }
/// ```
///
/// - Parameters:
///   - type: The type with which the service was registered, the module's, or a protocol that either conforms to.
///   - pointer: *Borrowed during the call.* The `self` that peal passed, and no other pointer.
/// - Returns: nil for NULL, and for an instance of another type.
///
/// Thread rule: any thread.
public func swiftInstance<Instance: Sendable>(of type: Instance.Type, at pointer: UnsafeMutableRawPointer?) -> Instance?
{
    guard let pointer else { return nil }
    return Box.object(pointer, as: InstanceBox.self).instance(as: type)
}

/// Marks an instance that was made in Swift: it provides one more protocol, which has its type.
///
/// Only the `self` of such an instance may be read as an object. Every service of Swift has the protocol, and no code
/// gets a service by it, so its ambiguity is never reported.
@usableFromInline
enum SwiftMark {
    static let protocolName = "PealSwiftInstance"

    private struct Table: BitwiseCopyable {
        var size = MemoryLayout<Table>.size
        var typeName: @convention(c) (UnsafeMutableRawPointer?) -> UnsafePointer<CChar>?
    }

    /// A size and one function.
    @inlinable static var tableSize: Int { 2 * MemoryLayout<UInt>.size }

    /// The additional table of a service of Swift.
    static var provision: Provision {
        Provision(
            protocolName,
            Table { pointer in
                guard let pointer else { return nil }
                return Box.object(pointer, as: InstanceBox.self).typeNameInC
            })
    }

    /// The last protocol that was defined without an owner, and compared with the declaration here. Such a protocol is
    /// permanent. A protocol that an owner defined ends with its owners, so each registration defines that again.
    private static let lastPermanent = Atomic<UInt64>(0)

    /// The protocol in a center, defined there by the first service of Swift.
    @discardableResult
    static func define(in center: peal_center) throws(PealError) -> peal_protocol {
        let found = find(in: center)
        if found.id != 0, found.id == lastPermanent.load(ordering: .relaxed) { return found }
        let defined = try defineOrCompare(in: center)
        if peal_owner_get_current().id == 0 { lastPermanent.store(defined.id, ordering: .relaxed) }
        return defined
    }

    /// Defines the protocol, or compares it with that of the center.
    private static func defineOrCompare(in center: peal_center) throws(PealError) -> peal_protocol {
        try CStrings.withList(["required const char *type_name(void)"]) { methods throws(PealError) in
            try CStrings.withList([protocolName]) { names throws(PealError) in
                var description = peal_protocol_description()
                description.size = MemoryLayout<peal_protocol_description>.size
                description.name = names[0]
                description.methods = methods
                description.table_size = tableSize
                var defined = peal_protocol()
                try PealError.check(peal_protocol_define(center, &description, &defined, nil, 0))
                return defined
            }
        }
    }

    /// The protocol in a center; zero where no service of Swift was registered.
    static func find(in center: peal_center) -> peal_protocol {
        var found = peal_protocol()
        _ = peal_protocol_find(center, protocolName, &found)
        return found
    }
}

/// The services that were registered in Swift, in all centers, for checks before there is an instance.
///
/// The instance itself is always checked too. So a mistake with a service of another copy of this module, which is
/// not listed here, is only reported later.
enum ServiceTypes {
    private static let anchors = Mutex<[UInt64: ServiceAnchor]>([:])

    static func note(_ anchor: ServiceAnchor, of service: peal_service) {
        anchors.withLock { $0[service.id] = anchor }
    }

    /// The service, if it was registered by this module and has not ended.
    static func find(_ service: peal_service) -> ServiceAnchor? {
        anchors.withLock { $0[service.id] }
    }

    static func remove(_ service: UInt64) {
        anchors.withLock { _ = $0.removeValue(forKey: service) }
    }
}

/// A service that was registered in Swift. It represents the service among observing objects.
final class ServiceAnchor: Sendable {
    let type: ObjectIdentifier
    let typeName: String
    /// The protocol by which its instances are known.
    let mark: peal_protocol

    init<Instance>(_ type: Instance.Type, mark: peal_protocol) {
        self.type = ObjectIdentifier(type)
        typeName = TypeName.of(type)
        self.mark = mark
    }
}
