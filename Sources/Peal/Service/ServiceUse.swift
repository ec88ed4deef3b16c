public import CPeal
internal import Synchronization

/// A use of a service's instance.
///
/// The instance stays until the use ends, also when it is removed meanwhile. The use ends with its last reference. The
/// thread that ends the last use of a removed instance ends the instance.
///
/// The C interface's `struct peal_service_use`.
public final class ServiceUse<Instance: Sendable>: Sendable {
    /// The instance.
    ///
    /// A reference that outlives the use stays valid, as references of Swift do; but the service's `end` may have run
    /// for it.
    public let instance: Instance
    @usableFromInline let use: peal_use

    /// - Parameter use: *Consumed.*
    @inlinable
    init(_ instance: Instance, use: peal_use) {
        self.instance = instance
        self.use = use
    }

    @inlinable
    deinit { _ = peal_use_release(use) }
}

extension ServiceProvider {
    /// Calls a closure with the instance, which is created on first use.
    ///
    /// Cheaper than ``get()``: it writes to no memory that other threads write to. The instance is not destroyed until
    /// the closure returns, also when the service is removed meanwhile. So keep it short.
    ///
    /// - Parameter body: Called once, on this thread, unless this throws.
    /// - Returns: The closure's result.
    /// - Throws: ``PealError`` as ``get()``; then the closure was not called.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_scope_begin` and `peal_scope_end`.
    @discardableResult @inlinable
    public func with<Result>(_ body: (Instance) -> Result) throws(PealError) -> Result {
        var scope = peal_scope()
        let instance = try begin(&scope)
        defer { _ = peal_scope_end(&scope) }
        return body(instance)
    }

    /// Calls a closure that throws with the instance, which is created on first use.
    ///
    /// - Parameter body: Called once, on this thread, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; ``PealError`` as ``get()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_scope_begin` and `peal_scope_end`.
    @discardableResult @inlinable
    public func with<Result>(_ body: (Instance) throws -> Result) throws -> Result {
        var scope = peal_scope()
        let instance = try begin(&scope)
        defer { _ = peal_scope_end(&scope) }
        return try body(instance)
    }

    /// Calls a closure with the instance by a use, which inside a broadcast is cheaper than a scope. The service must
    /// be one of Swift.
    func withUse<Result>(_ body: (Instance) -> Result) throws(PealError) -> Result {
        var use = peal_service_use()
        try PealError.check(peal_service_use_instance(handle, &use))
        defer { _ = peal_use_release(use.use) }
        guard let pointer = use.`self` else { throw notSwift() }
        return body(try box(at: pointer).read { $0.value })
    }

    /// Begins a scope, and ends it where this throws.
    @inlinable @inline(__always)
    func begin(_ scope: inout peal_scope) throws(PealError) -> Instance {
        let status = peal_scope_begin(handle, mark, SwiftMark.tableSize, &scope)
        guard status.rawValue >= 0 else { throw scopeFailure(status) }
        do throws(PealError) {
            // Without a mark in the center no table was requested, and the service was not made in Swift.
            guard scope.table != nil, let pointer = scope.`self` else { throw notSwift() }
            return try box(at: pointer).read { $0.value }
        } catch {
            _ = peal_scope_end(&scope)
            throw error
        }
    }

    @usableFromInline
    func scopeFailure(_ status: peal_status) -> PealError {
        let error = PealError.failure(status)
        // A service of Swift has the table, so the missing object is a dependency.
        return error.status == .notFound && ServiceTypes.find(handle) == nil ? notSwift() : error
    }
}

/// The uses of other services that last as long as an instance. They must not lead back to it: a circle of uses never
/// ends.
final class UseKeeper: Sendable {
    /// A use of another service, and the uses of that one.
    private struct Entry {
        let use: peal_use
        weak let keeper: UseKeeper?
    }

    private let service: String
    private let entries = Mutex<[Entry]>([])

    init(of service: String) { self.service = service }

    /// Keeps a use.
    ///
    /// - Parameter use: *Consumed*, also when this fails.
    /// - Throws: ``Status/cycle``, with the path, where the used service needs this one.
    func keep(_ use: peal_service_use) throws(PealError) {
        let used = use.`self`.flatMap { pointer in Box.object(pointer, as: InstanceBox.self).kept }
        if let path = used?.path(to: self) {
            _ = peal_use_release(use.use)
            throw PealError(
                status: .cycle,
                message:
                    "circular dependency of services: \(([self] + path).map(\.service).joined(separator: " -> ")); "
                    + "remove one of these dependencies, or get the other service when it is needed")
        }
        entries.withLock { $0.append(Entry(use: use.use, keeper: used)) }
    }

    /// The services that need each other from this one to another one; nil without a path.
    private func path(to end: UseKeeper) -> [UseKeeper]? {
        if self === end { return [self] }
        // Entries are only added while the instance is made, when no other service can have it.
        for keeper in entries.withLock({ $0.compactMap(\.keeper) }) {
            if let rest = keeper.path(to: end) { return [self] + rest }
        }
        return nil
    }

    deinit {
        for entry in entries.withLock({ $0 }).reversed() { _ = peal_use_release(entry.use) }
    }
}

/// A use of a service's instance, like ``ServiceUse``, as a value that is moved and never copied. Getting one allocates
/// nothing.
///
/// ```swift
/// let account = try accounts.use()
/// print(account.instance.user)
/// ```
///
/// In C, `struct peal_service_use`.
public struct UniqueUse<Instance: Sendable>: ~Copyable, Sendable {
    @usableFromInline let use: OwnedUse
    /// The service keeps it until the use ends.
    @usableFromInline let box: Borrowed<TypedBox<Instance>>

    /// The instance; the service keeps it until the use ends.
    @inlinable public var instance: Instance { box.read { $0.value } }

    /// - Parameter taken: *Consumed.*
    @inlinable
    init(_ taken: (use: peal_service_use, box: Borrowed<TypedBox<Instance>>)) {
        use = OwnedUse(taken.use.use)
        box = taken.box
    }
}

/// A use of the C interface that ends with this value.
///
/// It is no generic type: where this module is optimised and a program is not, Swift 6.3 does not run the deinitializer
/// of a generic value.
@usableFromInline
struct OwnedUse: ~Copyable, Sendable {
    @usableFromInline let use: peal_use

    @inlinable
    init(_ use: peal_use) { self.use = use }

    @inlinable
    deinit { _ = peal_use_release(use) }
}

extension ServiceProvider {
    /// Gets the instance, which is created on first use, until the end of the value.
    ///
    /// - Returns: A use that ends at the end of its scope, or where it is consumed.
    /// - Throws: ``PealError`` as ``get()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_use_instance`.
    @inlinable
    public func use() throws(PealError) -> UniqueUse<Instance> {
        UniqueUse(try take())
    }
}

extension Center {
    /// Gets the instance of a service by its type or its name, until the end of the value.
    ///
    /// - Parameters:
    ///   - type: The type with which it was registered.
    ///   - name: Its name; the type's full name by default.
    /// - Returns: A use that ends at the end of its scope, or where it is consumed.
    /// - Throws: ``PealError`` as ``get(_:named:)``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_get`.
    @inlinable
    public func use<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, named name: String? = nil
    ) throws(PealError) -> UniqueUse<Instance> {
        UniqueUse(try withService(type, named: name) { service throws(PealError) in try service.take() })
    }
}
