public import CPeal

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
    /// The instance; the service keeps it until the use ends.
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
    /// Gets the instance, which is created on first use, until the end of the value.
    ///
    /// - Returns: A use that ends at the end of its scope, or where it is consumed.
    /// - Throws: ``PealError`` as ``get()``.
    ///
    /// Any thread; it waits for creations. The C interface's `peal_service_use_instance`.
    @inlinable
    public func use() throws(PealError) -> UniqueUse<Instance> {
        let (use, instance) = try take()
        return UniqueUse(instance, use: use.use)
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
    /// Any thread; it waits for creations. The C interface's `peal_service_get`.
    @inlinable
    public func use<Instance: Sendable>(
        _ type: Instance.Type = Instance.self, named name: String? = nil
    ) throws(PealError) -> UniqueUse<Instance> {
        let (use, instance) = try reach(type, named: name) { service throws(PealError) in try service.take() }
        return UniqueUse(instance, use: use.use)
    }
}
