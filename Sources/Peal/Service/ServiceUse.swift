public import CPeal

/// The instance of a service that is held.
///
/// The service keeps it until the use ends, also when it is removed meanwhile. The use ends when nobody keeps it
/// any more; where the instance was removed and this was the last use, it is ended then, on that thread.
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
    deinit { _ = peal_use_end(use) }
}
