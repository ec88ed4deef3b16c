public import CPeal
import Synchronization

/// One registration of an observer.
public final class Observation: Sendable {
    /// The registration in the C interface.
    public let handle: peal_observation
    private let isKept = Atomic(false)

    init(_ handle: peal_observation) { self.handle = handle }

    /// Lets the registration outlive this object.
    @discardableResult
    public func keep() -> Observation {
        isKept.store(true, ordering: .relaxed)
        return self
    }

    /// Ends the registration.
    public func cancel() { _ = peal_observation_remove(handle) }

    /// Whether the registration is in force.
    public var isActive: Bool { peal_observation_is_active(handle) }

    deinit {
        if !isKept.load(ordering: .relaxed) { _ = peal_observation_remove(handle) }
    }
}
