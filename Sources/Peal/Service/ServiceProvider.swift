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
/// It is a value that leads to the registration, and does not keep it. Thread rule: any thread. The C interface's
/// `peal_service`.
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
        self.init(KnownServices.Entry(handle, in: center))
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
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_use_instance`.
    @inlinable
    public func get() throws(PealError) -> ServiceUse<Instance> {
        let (use, box) = try take()
        return ServiceUse(box.read { $0.value }, use: use.use)
    }

    /// A use, which the caller ends, and the box of the instance.
    @inlinable
    func take() throws(PealError) -> (use: peal_service_use, box: Borrowed<TypedBox<Instance>>) {
        if !isOwn { try checkMark() }
        var use = peal_service_use()
        try PealError.check(peal_service_use_instance(handle, &use))
        do throws(PealError) {
            guard let pointer = use.`self` else { throw notSwift() }
            return (use, try box(at: pointer))
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

    /// The box of an instance of a service that has the mark. The service's use or scope keeps it.
    @inlinable @inline(__always)
    func box(at pointer: UnsafeMutableRawPointer) throws(PealError) -> Borrowed<TypedBox<Instance>> {
        let found = Box.borrow(pointer, as: AnyObject.self) { box in type(of: box) == TypedBox<Instance>.self }
        if found { return Borrowed(pointer) }
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
        guard let anchor = ServiceTypes.find(handle) else { throw notSwift() }
        if anchor.type != ObjectIdentifier(Instance.self) { throw otherType(anchor.typeName) }
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

/// The reference of a registered service: ``ServiceProvider`` with its Swift type, ``AnyService`` without.
///
/// It is a value, and does not keep the registration, which lasts until ``remove()``, the end of its owner or
/// of its center. All functions may be called on any thread.
public protocol ServiceReference: Sendable {
    /// The service in the C interface.
    var handle: peal_service { get }
}

extension ServiceReference {
    /// Its name; nil when the registration has ended. The C interface's `peal_service_get_info`.
    public var name: String? { try? info().name }

    /// Its state.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when the registration has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_get_info`.
    public func info() throws(PealError) -> ServiceInfo {
        var info = peal_service_info()
        info.size = MemoryLayout<peal_service_info>.size
        try PealError.check(peal_service_get_info(handle, &info))
        return ServiceInfo(info)
    }

    /// Removes the instance; the next get makes another.
    ///
    /// An instance without a use has ended when this returns; an instance in use ends with its last use or scope. A
    /// creation that runs is waited for.
    ///
    /// - Returns: ``Ending/pending`` when it is still in use.
    /// - Throws: ``PealError``: ``Status/state`` from within a creation, and for peal's own services;
    ///   ``Status/handle``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_remove_instance`.
    @discardableResult
    public func removeInstance() throws(PealError) -> Ending {
        try Ending(checking: peal_service_remove_instance(handle))
    }

    /// Makes the instance clear the data of its session, by its `clearData`. The instance stays.
    ///
    /// - Throws: ``PealError`` as ``removeInstance()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_clear_data`.
    public func clearData() throws(PealError) {
        try PealError.check(peal_service_clear_data(handle))
    }

    /// Ends the registration: removes the instance as ``removeInstance()`` does, and its name is free.
    ///
    /// - Returns: ``Ending/pending`` when it is still in use, or being created.
    /// - Throws: ``PealError``: ``Status/state`` for peal's own services; ``Status/handle``.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_remove`.
    @discardableResult
    public func remove() throws(PealError) -> Ending {
        try Ending(checking: peal_service_remove(handle))
    }
}

/// A service whose Swift type is unknown, or that was not made in Swift.
///
/// The C interface's `peal_service`.
public struct AnyService: ServiceReference, Hashable {
    /// The service in the C interface.
    public let handle: peal_service

    /// A service of the C interface.
    public init(_ handle: peal_service) { self.handle = handle }

    /// True if both are the same registration.
    public static func == (left: AnyService, right: AnyService) -> Bool { left.handle.id == right.handle.id }

    /// Hashes the handle.
    public func hash(into hasher: inout Hasher) { hasher.combine(handle.id) }
}

/// The state of a service, read atomically.
///
/// The C interface's `struct peal_service_info`.
public struct ServiceInfo: Sendable {
    /// The state of the instance.
    public enum State: Hashable, Sendable {
        /// There is no instance.
        case registered
        /// It is being made.
        case creating
        /// It is published, and its `initialize` runs.
        case initializing
        /// Its creation has succeeded.
        case ready
    }

    /// Its name.
    public let name: String
    /// The state of the instance.
    public let state: State
    /// True if it stays when a session ends.
    public let isPersistent: Bool
    /// The first caller of a get: `service NAME`, `module NAME`, `observer of PROTOCOL`, `owner NAME`, or
    /// `the program`; nil without an instance.
    public let createdBy: String?
    /// When its creation began, by the monotonic clock; nil without an instance.
    public let createdAt: Duration?
    /// How long its creation took; nil without an instance.
    public let creationTime: Duration?
    /// Its position in the order of the center's creations, from 1; nil without an instance.
    public let order: UInt64?
    /// The number of uses that have not ended.
    public let uses: Int
    /// How many instances there were so far.
    public let creations: Int
    /// How many creations have failed so far.
    public let failures: Int
    /// The sentence of the last failure; nil without.
    public let lastFailure: String?
    /// The text by which people recognise the service, cut to 63 bytes; nil for none.
    public let label: String?

    init(_ info: peal_service_info) {
        name = String(pealArray: info.name)
        state =
            switch info.state {
            case PEAL_SERVICE_CREATING: .creating
            case PEAL_SERVICE_INITIALIZING: .initializing
            case PEAL_SERVICE_READY: .ready
            default: .registered
            }
        isPersistent = info.flags & UInt32(PEAL_SERVICE_PERSISTENT.rawValue) != 0
        createdBy = .unlessEmpty(pealArray: info.created_by)
        createdAt = info.created_at == 0 ? nil : Duration.nanoseconds(Int64(clamping: info.created_at))
        creationTime = info.created_at == 0 ? nil : Duration.nanoseconds(Int64(clamping: info.creation_time))
        order = info.order == 0 ? nil : info.order
        uses = info.uses
        creations = info.creations
        failures = info.failures
        lastFailure = .unlessEmpty(pealArray: info.last_failure)
        label = .unlessEmpty(pealArray: info.label)
    }
}
