internal import CPeal
internal import Synchronization

/// The functions of a service for the methods of a protocol that it observes. The closure that describes the observer
/// fills it with closures that get the instance:
///
///     let observation = try center.observe(Chat.self, by: history) {
///         $0.on(Chat.onMessage) { history, room, count in history.keep(room, count) }
///         $0.on(Chat.mayClose, otherwise: true) { history in history.isSaved }
///     }
public struct ServiceMethods<Instance: Sendable>: Sendable {
    private(set) var entries: [(signature: MethodSignature, response: Response)] = []
    private let caller: ServiceCaller<Instance>

    init(_ caller: ServiceCaller<Instance>) { self.caller = caller }

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the instance, which stays until it has returned, and the arguments. Runs on the broadcasting
    ///     thread, or on the observer's queue.
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (Instance, repeat each Parameter) -> Void
    ) {
        let caller = caller
        add(
            method.signature,
            Responses.make { (arguments: repeat each Parameter) in
                caller.call { body($0, repeat each arguments) }
            })
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: As for a method without a result.
    ///   - otherwise: The result where the service cannot be created.
    ///   - body: Receives the instance and the arguments, and returns the result.
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, otherwise: Result.Answer,
        _ body: @escaping @Sendable (Instance, repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult & Sendable {
        let caller = caller
        add(
            method.signature,
            Responses.make { (arguments: repeat each Parameter) -> Result.Answer in
                caller.call { body($0, repeat each arguments) } ?? otherwise
            })
    }

    /// Implements a method with a status by a closure that may throw.
    ///
    /// - Parameters:
    ///   - method: As for a method without a result.
    ///   - body: Receives the instance and the arguments. Returns for ``Status/ok``. An error becomes its status. Where
    ///     the service cannot be created, the status is ``Status/creation``.
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>,
        _ body: @escaping @Sendable (Instance, repeat each Parameter) throws -> Void
    ) {
        let caller = caller
        add(
            method.signature,
            Responses.make { (arguments: repeat each Parameter) -> Status in
                caller.call { instance in Status.catching { try body(instance, repeat each arguments) } } ?? .creation
            })
    }

    private mutating func add(_ signature: MethodSignature, _ response: Response) {
        entries.append((signature, response))
    }
}

/// Calls a service for an observer, and ends the observation with the service.
final class ServiceCaller<Instance: Sendable>: Sendable {
    private let service: ServiceProvider<Instance>
    private let observation = Atomic<UInt64>(0)

    init(_ service: ServiceProvider<Instance>) { self.service = service }

    func note(_ observation: peal_observation) {
        self.observation.store(observation.id, ordering: .releasing)
        // The service may have ended before the store. A call on another thread that loaded zero has then removed no
        // observation, so this thread removes it.
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

/// An observer that is a service. Each call uses the service's current instance.
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
