internal import CPeal
internal import Synchronization

/// Calls a service for an observer, and ends the observation with the service.
final class ServiceCaller<Instance: Sendable>: Sendable {
    private let service: ServiceProvider<Instance>
    private let observation = Atomic<UInt64>(0)

    init(_ service: ServiceProvider<Instance>) { self.service = service }

    func note(_ observation: peal_observation) {
        self.observation.store(observation.id, ordering: .releasing)
        // It may have ended before this was known.
        if service.name == nil { end() }
    }

    /// Nil where the service cannot be created: the engine has notified the observers of the services.
    func call<Result>(_ body: (Instance) -> Result) -> Result? {
        do throws(PealError) {
            return try service.withUse(body)
        } catch {
            if error.status == .handle { end() }
            return nil
        }
    }

    private func end() {
        _ = peal_observation_remove(peal_observation(id: observation.load(ordering: .acquiring)))
    }
}

/// An observer that is a service, whose instance is looked for at each call.
final class ServiceHandler: PlacedHandler, @unchecked Sendable {
    // As its superclass.
    /// Represents the service among the observers; its address is unique until this object ends.
    private let anchor: ServiceAnchor
    override var title: String { "the service" }

    init(_ responses: [Response], _ anchor: ServiceAnchor, at place: ObservedObjects.Key) {
        self.anchor = anchor
        super.init(responses, at: place)
    }
}

/// The identity of a registered service, as an object.
final class ServiceAnchor: Sendable {}
