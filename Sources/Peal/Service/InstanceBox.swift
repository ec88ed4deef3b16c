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
/// Any thread on which the function may run.
public func swiftInstance<Instance: Sendable>(of type: Instance.Type, at pointer: UnsafeMutableRawPointer?) -> Instance?
{
    guard let pointer else { return nil }
    return Box.object(pointer, as: InstanceBox.self).instance(as: type)
}
