public import CPeal

/// A use of a service's instance.
///
/// The service keeps it until the use ends, also when it is removed meanwhile. The use ends with its last reference.
/// The last use of a removed instance ends the instance on that thread.
///
/// The C interface's `struct peal_service_use`.
public final class ServiceUse<Instance: Sendable>: Sendable {
    /// The instance.
    ///
    /// A reference that outlives the use stays valid, as references of Swift do; but the service may have ended it.
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
