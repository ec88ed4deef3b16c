internal import CPeal

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
    /// Any thread, also from a callback. The C interface's `peal_observe_service`.
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
    /// Any thread, also from a callback. The C interface's `peal_observe_service`.
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
        let anchor = try ServiceTypes.anchor(of: service.handle)
        let handler = ServiceHandler(
            responses, anchor, at: ObservedObjects.Key(protocol: owner, object: anchor))
        let observation = try register(handler, as: anchor, for: methods, of: owner, options)
        caller.note(observation.handle)
        return observation
    }
}
