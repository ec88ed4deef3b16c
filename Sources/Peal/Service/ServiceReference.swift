public import CPeal

/// The reference of a registered service: ``ServiceProvider`` with its Swift type, ``AnyService`` without.
///
/// It is a value, and does not keep the registration, which lasts until ``unregister()``, the end of its owner or
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
    /// Any thread, also from a callback. The C interface's `peal_service_get_info`.
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
    /// Any thread, also from a callback. The C interface's `peal_service_remove_instance`.
    @discardableResult
    public func remove() throws(PealError) -> Ending {
        try Ending(checking: peal_service_remove_instance(handle))
    }

    /// Makes the instance clear the data of its session, by its `clearData`. The instance stays.
    ///
    /// - Throws: ``PealError`` as ``remove()``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_service_clear_data`.
    public func clearData() throws(PealError) {
        try PealError.check(peal_service_clear_data(handle))
    }

    /// Ends the registration: removes the instance as ``remove()`` does, and its name is free.
    ///
    /// - Returns: ``Ending/pending`` when it is still in use, or being created.
    /// - Throws: ``PealError``: ``Status/state`` for peal's own services; ``Status/handle``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_service_remove`.
    @discardableResult
    public func unregister() throws(PealError) -> Ending {
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
    }
}
