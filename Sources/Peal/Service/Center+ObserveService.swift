internal import CPeal
internal import Synchronization

extension Center {
    /// Makes a service observe a method. Its instance need not exist: the first broadcast of the method creates it.
    ///
    ///     let history = try center.register(History.self) { _ in try History() }
    ///     let observation = try center.observe(Chat.onMessage, by: history) { history, room, count in
    ///         history.keep(room, count)
    ///     }
    ///
    /// The service is created at its turn in the order, by the broadcasting thread; broadcasts of other threads wait
    /// for that. When a creation fails, observers of the services are notified (``observeServices(_:)``), the broadcast
    /// continues, and the next one tries again. Within its own creation the service is not called. When the instance is
    /// removed, the next broadcast creates another. The observation ends with the service's registration.
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - service: The service of the instance. It was registered with its type in Swift.
    ///   - options: Options of the registration.
    ///   - body: Kept until the observation has ended and its last call has returned. During a call the instance stays.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``PealError``: ``Status/type`` where the service is of another type, or not of Swift;
    ///   ``Status/handle``; the rest as for a closure without a service.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_service`, which creates its services before the first
    /// call. For a service that provides a table of C functions, use ``observe(_:by:_:)-(String,_,_)``.
    public func observe<Owner, Instance: Sendable, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, by service: ServiceProvider<Instance>,
        _ options: ObserverOption...,
        body: @escaping @Sendable (Instance, repeat each Parameter) -> Void
    ) throws(PealError) -> ObserverToken {
        try service.checkType()
        let caller = ServiceCaller(service)
        let response = Responses.make { (arguments: repeat each Parameter) in
            caller.call { body($0, repeat each arguments) }
        }
        let observation = try observe(method.signature, options, response)
        caller.note(observation.handle)
        return observation
    }

    /// Makes a service observe a method with a result. Its instance need not exist: the first broadcast of the method
    /// creates it.
    ///
    /// - Parameters:
    ///   - method: The method to implement.
    ///   - service: The service of the instance. It was registered with its type in Swift.
    ///   - otherwise: The result where the service cannot be created.
    ///   - options: Options of the registration.
    ///   - body: Kept until the observation has ended and its last call has returned.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a method without a result.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_service`.
    public func observe<Owner, Instance: Sendable, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, by service: ServiceProvider<Instance>,
        otherwise: Result.Answer,
        _ options: ObserverOption..., body: @escaping @Sendable (Instance, repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken where Result.Answer: PealResult & Sendable {
        try service.checkType()
        let caller = ServiceCaller(service)
        let response = Responses.make { (arguments: repeat each Parameter) -> Result.Answer in
            caller.call { body($0, repeat each arguments) } ?? otherwise
        }
        let observation = try observe(method.signature, options, response)
        caller.note(observation.handle)
        return observation
    }

    /// Makes a service observe a protocol by the table of C functions that it provides for it. Its instance need not
    /// exist: the first broadcast of a method that the table has creates it, before the first call.
    ///
    /// - Parameters:
    ///   - protocolName: A protocol that the service provides.
    ///   - service: The service, made in C or in Swift.
    ///   - options: Options of the registration.
    /// - Returns: The observation, which ends with its last reference, or with the service.
    /// - Throws: ``PealError``: ``Status/notFound`` for a service that does not provide the protocol;
    ///   ``Status/duplicate`` when it observes the protocol lazily on that queue already.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_service`.
    public func observe(
        _ protocolName: String, by service: some ServiceReference, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try CStrings.check(protocolName, is: "the protocol's name")
        var proto = peal_protocol()
        try PealError.check(peal_protocol_find(handle, protocolName, &proto))
        let name = try service.info().name
        var observation = peal_observation()
        try peal_observe_options.with(options) { cOptions throws(PealError) in
            // C registers the service itself here, and so detects duplicates.
            for option in options {
                switch option {
                case .replacing: cOptions.flags |= UInt32(PEAL_OBSERVE_REPLACE.rawValue)
                case .allowingDuplicates: cOptions.flags |= UInt32(PEAL_OBSERVE_ALLOW_DUPLICATE.rawValue)
                default: break
                }
            }
            try PealError.check(peal_observe_service(proto, name, &cOptions, &observation))
        }
        return ObserverToken(observation)
    }
}

extension Center {
    /// Makes a service observe a protocol. Its instance need not exist: the first broadcast of an implemented method
    /// creates it.
    ///
    ///     let history = try center.register(History.self) { _ in try History() }
    ///     let observation = try center.observe(Chat.self, by: history) {
    ///         $0.on(Chat.onMessage) { history, room, count in history.keep(room, count) }
    ///         $0.on(Chat.mayClose, otherwise: true) { history in history.isSaved }
    ///     }
    ///
    /// A service that observes several protocols is created once, by the first broadcast of any. All else is as for a
    /// single method, see ``observe(_:by:_:body:)``.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - service: The service of the instance. It was registered with its type in Swift. The same one on the same
    ///     protocol and queue is refused, unless an option allows it.
    ///   - options: Options of the registration.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which ends with its last reference, or with the service.
    /// - Throws: ``Status/type`` where the service is of another type, or not of Swift; ``Status/duplicate``;
    ///   ``Status/handle``; ``Status/conformance``, whose sentence names the required methods that are missing;
    ///   ``Status/argument`` without any method; ``Status/conflict`` for a method with two functions.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_service`.
    public func observe<Observed: PealProtocol, Instance: Sendable>(
        _ type: Observed.Type, by service: ServiceProvider<Instance>, _ options: ObserverOption...,
        methods: (inout ServiceMethods<Instance>) -> Void
    ) throws(PealError) -> ObserverToken {
        let caller = ServiceCaller(service)
        var list = ServiceMethods(caller)
        methods(&list)
        let owner = try findOrDefine(type)
        let names = try names(list.entries.map(\.signature), in: type, owner)
        return try register(service, caller, list.entries.map(\.response), for: names, of: owner, options)
    }

    /// Makes a service observe a Swift type. Its instance need not exist: the first broadcast to that type creates it.
    ///
    ///     let history = try center.register(History.self) { _ in try History() }
    ///     let observation = try center.observe((any ChatObserver).self, by: history, as: { $0 })
    ///     try center.broadcast((any ChatObserver).self) { $0.didReceive("hello") }
    ///
    /// A service that observes several types is created once, by the first broadcast to any; when its creation fails,
    /// the others are called, and the next broadcast tries again. When the instance is removed, the next broadcast
    /// creates another.
    ///
    /// - Parameters:
    ///   - type: The type of the calls. It may be any type, also a struct's.
    ///   - service: The service of the instance. It was registered with its type in Swift. The same one on the same
    ///     type and queue is refused, unless `options` allow it.
    ///   - view: Converts the instance to the type of the calls: `{ $0 }`. Runs at each call.
    ///   - options: Options of the registration.
    /// - Returns: The observation, which ends with its last reference, or with the service.
    /// - Throws: ``Status/type`` where the service is of another type, or not of Swift; ``Status/duplicate``;
    ///   ``Status/handle``.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_service`.
    public func observe<Observed: Sendable, Instance: Sendable>(
        _ type: Observed.Type, by service: ServiceProvider<Instance>,
        as view: @escaping @Sendable (Instance) -> Observed,
        _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try observe(type, by: service, view, options)
    }

    /// The same for a service that was registered with that very type: `register((any ChatObserver).self) { … }`.
    public func observe<Observed: Sendable>(
        _ type: Observed.Type, by service: ServiceProvider<Observed>, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try observe(type, by: service, { $0 }, options)
    }

    private func observe<Observed: Sendable, Instance: Sendable>(
        _ type: Observed.Type, by service: ServiceProvider<Instance>,
        _ view: @escaping @Sendable (Instance) -> Observed,
        _ options: [ObserverOption]
    ) throws(PealError) -> ObserverToken {
        let caller = ServiceCaller(service)
        let protocols = try swiftProtocols.find(type, in: handle)
        let isQueued = peal_observe_options(options).queue.id != 0
        let names = SwiftProtocol.methods(isQueued: isQueued)
        let responses = SwiftResponses.make(caller, view, isQueued: isQueued)
        return try register(service, caller, responses, for: names, of: protocols.handle, options)
    }

    private func register<Instance: Sendable>(
        _ service: ServiceProvider<Instance>, _ caller: ServiceCaller<Instance>, _ responses: [Response],
        for methods: [String],
        of owner: peal_protocol, _ options: [ObserverOption]
    ) throws(PealError) -> ObserverToken {
        try service.checkType()
        guard let anchor = ServiceTypes.find(service.handle) else {
            throw PealError(status: .handle, message: "the service's registration has ended; register it again")
        }
        let key = ObservedObjects.Key(protocol: owner, object: anchor)
        let handler = Handler(responses, as: key, keeping: anchor)
        let observation = try register(handler, at: key, anchor, for: methods, of: owner, options)
        caller.note(observation.handle)
        return observation
    }
}

/// The functions of a service for the methods of a protocol that it observes. The closure that describes the observer
/// fills it with closures that get the instance:
///
///     let observation = try center.observe(Chat.self, by: history) {
///         $0.on(Chat.onMessage) { history, room, count in history.keep(room, count) }
///         $0.on(Chat.mayClose, otherwise: true) { history in history.isSaved }
///     }
public struct ServiceMethods<Instance: Sendable>: Sendable {
    private(set) var entries: [MethodResponse] = []
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
        entries.append(MethodResponse(signature: signature, response: response))
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
