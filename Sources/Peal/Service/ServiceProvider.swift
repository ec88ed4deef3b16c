public import CPeal

/// A service that was registered with a Swift type, and access to its instance.
///
/// A service is a singleton by name. Its instance is created at the first get: once, however many threads get
/// it at the same time.
///
/// ```swift
/// let accounts = try center.register(AccountService.self) { creation in
///     AccountService(database: try creation.get(Database.self))
/// }
/// let user = try accounts.with { $0.user }      // during the closure, on this thread
/// let held = try accounts.get()                 // until the last reference to `held`
/// ```
///
/// It is a value that leads to the registration, and does not keep it. Any thread. The C interface's `peal_service`.
public struct ServiceProvider<Instance: Sendable>: ServiceReference {
    /// The service in the C interface.
    public let handle: peal_service
    /// The protocol that instances made in Swift provide; zero where there is none in the center.
    @usableFromInline let mark: peal_protocol
    /// True if this module registered the service, so that each instance is an ``InstanceBox``.
    @usableFromInline let isOwn: Bool

    /// A service that has been registered, as one of this type.
    ///
    /// - Parameters:
    ///   - handle: The service in the C interface.
    ///   - center: The center that it is in.
    public init(_ handle: peal_service, in center: Center) {
        let own = ServiceTypes.mark(of: handle)
        self.handle = handle
        mark = own ?? SwiftMark.find(in: center.handle)
        isOwn = own != nil
    }

    init(_ handle: peal_service, mark: peal_protocol) {
        self.handle = handle
        self.mark = mark
        isOwn = true
    }

    /// Gets the instance, which is created on first use, until the end of the use.
    ///
    /// - Returns: A use that ends with its last reference.
    /// - Throws: ``PealError``: ``Status/creation``, with the creation's error; ``Status/cycle`` where
    ///   services need each other, with the path; ``Status/type`` where the instance is of another type or was not
    ///   made in Swift; ``Status/handle`` where the registration has ended. A thread that waited for a failed creation
    ///   gets the same error.
    ///
    /// Any thread; it waits for creations. The C interface's `peal_service_use_instance`.
    @inlinable
    public func get() throws(PealError) -> ServiceUse<Instance> {
        let (use, instance) = try take()
        return ServiceUse(instance, use: use.use)
    }

    /// A use, which the caller ends, and the instance.
    @inlinable
    func take() throws(PealError) -> (peal_service_use, Instance) {
        if !isOwn { try checkMark() }
        var use = peal_service_use()
        try PealError.check(peal_service_use_instance(handle, &use))
        do throws(PealError) {
            guard let pointer = use.`self` else { throw notSwift() }
            return (use, try instance(at: pointer))
        } catch {
            peal_use_release(use.use)
            throw error
        }
    }

    /// Throws unless the registration is one of this type, in another copy of this module. A later use is of the same
    /// registration, but may be another instance.
    @usableFromInline
    func checkMark() throws(PealError) {
        var scope = peal_scope()
        _ = try begin(&scope)
        _ = peal_scope_end(&scope)
    }

    /// The instance of a service that has the mark.
    @inlinable @inline(__always)
    func instance(at pointer: UnsafeMutableRawPointer) throws(PealError) -> Instance {
        let found: Instance? = Box.borrow(pointer, as: AnyObject.self) { box in
            type(of: box) == TypedBox<Instance>.self ? unsafeDowncast(box, to: TypedBox<Instance>.self).value : nil
        }
        if let found { return found }
        throw mismatch(Box.object(pointer, as: AnyObject.self))
    }

    @usableFromInline
    func mismatch(_ object: AnyObject) -> PealError {
        // Another copy of this module in the process has boxes of another class.
        (object as? InstanceBox).map { otherType($0.typeName) } ?? notSwift()
    }

    /// Throws unless the service was registered with this type. No instance is needed.
    func checkType() throws(PealError) {
        _ = try info()
        if let name = ServiceTypes.otherName(than: Instance.self, of: handle) { throw otherType(name) }
        if !ServiceTypes.isKnown(handle) { throw notSwift() }
    }

    // MARK: Failures

    @usableFromInline
    func notSwift() -> PealError {
        PealError(
            status: .type,
            message:
                "service '\(name ?? "")' was not made in Swift, so it is no \(TypeName.of(Instance.self)): get its table, "
                + "or its pointer")
    }

    func otherType(_ type: String) -> PealError {
        PealError(
            status: .type,
            message:
                "service '\(name ?? "")' is \(TypeName.of(Instance.self) == type ? "another " : "")\(type), and no "
                + "\(TypeName.of(Instance.self)): get it as the type with which it was registered")
    }
}
