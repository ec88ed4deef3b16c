internal import CPeal

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
    /// Any thread. The C interface's `peal_observe_service`, which creates its services before the first call. For a
    /// service that provides a table of C functions, use ``observe(_:by:_:)-(String,_,_)``.
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
    /// Any thread, also from a callback. The C interface's `peal_observe_service`.
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
    /// Any thread. The C interface's `peal_observe_service`.
    public func observe(
        _ protocolName: String, by service: some ServiceReference, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try CStrings.check(protocolName, is: "the protocol's name")
        var proto = peal_protocol()
        try PealError.check(peal_protocol_find(handle, protocolName, &proto))
        let name = try service.info().name
        var cOptions = peal_observe_options(options)
        // C registers the service itself here, and so detects duplicates.
        for option in options {
            switch option {
            case .replacing: cOptions.flags |= UInt32(PEAL_OBSERVE_REPLACE.rawValue)
            case .allowingDuplicates: cOptions.flags |= UInt32(PEAL_OBSERVE_ALLOW_DUPLICATE.rawValue)
            default: break
            }
        }
        var observation = peal_observation()
        try PealError.check(peal_observe_service(proto, name, &cOptions, &observation))
        return ObserverToken(observation)
    }
}
