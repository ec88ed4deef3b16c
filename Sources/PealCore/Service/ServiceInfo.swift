internal import CPealSupport

/// The state of a service.
public struct ServiceInfo: Sendable {
    public enum State: Sendable { case registered, creating, initializing, ready }

    public var state = State.registered
    public var isPersistent: Bool
    public var name: String
    public var createdBy = ""
    public var createdAt: UInt64 = 0
    public var creationTime: UInt64 = 0
    public var order: UInt64 = 0
    public var uses = 0
    public var creations: Int
    public var failures: Int
    public var lastFailure: String

    public init(_ service: Service) throws(Failure) {
        let (state, creation) = try service.withState { (state) throws(Failure) in
            guard !state.isEnded else { throw .staleService }
            return (Known(state), state.creation)
        }
        name = service.name
        isPersistent = service.record.pointee.is_persistent
        creations = state.creations
        failures = state.failures?.count ?? 0
        lastFailure = state.failures?.last ?? ""
        if let instance = state.instance {
            self.state = .ready
            createdBy = instance.createdBy
            createdAt = instance.createdAt
            creationTime = state.creationTime
            order = state.order
            uses = instance.uses
        } else if let creation {
            self.state = creation.instance == nil ? .creating : .initializing
            createdBy = creation.requester ?? CurrentRequester.program
            createdAt = creation.startedAt
        }
    }

    /// The members that are read of an instance under the lock of services, while it is the service's.
    private struct KnownInstance: Sendable {
        let createdBy: String
        let createdAt: UInt64
        let uses: Int

        init(_ instance: Instance) {
            createdBy = instance.createdBy
            createdAt = instance.createdAt
            uses = Int(peal_instance_uses(instance.element))
        }
    }

    private struct Known: Sendable {
        let instance: KnownInstance?
        let creations: Int
        let failures: Service.Failures?
        let order: UInt64
        let creationTime: UInt64

        init(_ state: borrowing Service.State) {
            instance = state.instance.map(KnownInstance.init)
            creations = state.creations
            failures = state.failures
            order = state.order
            creationTime = state.creationTime
        }
    }
}
