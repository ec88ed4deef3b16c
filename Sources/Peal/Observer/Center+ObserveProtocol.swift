internal import CPeal

extension Center {
    /// Observes several methods of a protocol by closures.
    ///
    ///     let observation = try center.observe(Chat.self, .priority(5)) {
    ///         $0.on(Chat.onMessage) { room, count in … }
    ///         $0.on(Chat.mayClose) { true }
    ///     }
    ///
    /// Methods that the protocol adopts can be implemented too.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - options: Options of the observer.
    ///   - methods: Defines the functions of the methods. Runs once, before this returns.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/conformance``, whose sentence names the required methods that are missing;
    ///   ``Status/argument`` without any method; ``Status/conflict`` for a method with two functions.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Observed: PealProtocol>(
        _ type: Observed.Type, _ options: ObserverOption..., methods: (inout ObserverMethods) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ObserverMethods()
        methods(&list)
        let owner = try findOrDefine(type)
        let names = try names(list.entries.map(\.signature), in: type, owner)
        return try register(Handler(list.entries.map(\.response)), for: names, of: owner, options)
    }

    /// Observes a protocol by an object. The observation ends when the object does.
    ///
    ///     try center.observe(Chat.self, for: window) {
    ///         $0.on(Chat.onMessage) { window, room, count in window.show(room, count) }
    ///     }
    ///
    /// The object is called on any broadcasting thread, and so must be `Sendable`. An object of the main actor observes
    /// with ``observe(_:for:on:_:methods:)``.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: A weak target: kept alive during each call only. The same one on the same protocol and queue is
    ///     refused, unless an option allows it.
    ///   - options: Options of the observer.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As the form without an object; ``Status/duplicate``.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject & Sendable>(
        _ type: Observed.Type, for object: Object, _ options: ObserverOption...,
        methods: (inout ObjectMethods<Object>) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(type, for: object, options: options, methods: methods)
    }

    /// Ends all observations of an object on a protocol.
    ///
    /// For callers without an ``ObserverToken``. Observations of protocols that adopt it stay.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: The observer.
    /// - Returns: The number of removed registrations.
    /// - Throws: ``Status/conflict`` if the center has the protocol with other methods; ``Status/handle`` when the
    ///   center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_remove`, for each.
    @discardableResult
    public func unobserve<Observed: PealProtocol>(_ type: Observed.Type, for object: AnyObject) throws(PealError) -> Int
    {
        let owner = try findOrDefine(type)
        let found = ObservedObjects.observations(of: object, on: owner)
        return found.count { peal_observation_remove($0) == PEAL_OK }
    }

    /// Registers an object for methods of a protocol.
    func register(
        _ object: any AnyObject & Sendable, _ entries: [MethodResponse], of type: any PealProtocol.Type,
        _ options: [ObserverOption]
    ) throws(PealError) -> ObserverToken {
        let owner = try findOrDefine(type)
        let names = try names(entries.map(\.signature), in: type, owner)
        return try register(object, entries.map(\.response), for: names, of: owner, options)
    }

    /// Registers a weak object, at most once for each protocol and queue unless an option allows more.
    ///
    /// - Parameter isKept: True if the registration keeps the object alive.
    func register(
        _ object: any AnyObject & Sendable, _ responses: [Response], for methods: [String], of owner: peal_protocol,
        _ options: [ObserverOption], isKept: Bool = false
    ) throws(PealError) -> ObserverToken {
        let key = ObservedObjects.Key(protocol: owner, object: object)
        let handler = Handler(responses, as: key, weakly: object, keeping: isKept ? object : nil)
        return try register(handler, at: key, object, for: methods, of: owner, options)
    }

    /// Registers an observer that is unique for an object.
    func register(
        _ handler: Handler, at key: ObservedObjects.Key, _ object: any AnyObject & Sendable, for methods: [String],
        of owner: peal_protocol, _ options: [ObserverOption]
    ) throws(PealError) -> ObserverToken {
        let queue = peal_observe_options(options).queue
        let others = try ObservedObjects.enter(
            handler, at: key, object, on: queue, isExclusive: !options.replaces && !options.duplicates)
        let observation = try register(handler, for: methods, of: owner, options)
        ObservedObjects.note(observation.handle, of: handler, at: key)
        if options.replaces { for other in others { _ = peal_observation_remove(other) } }
        return observation
    }

    /// The names of the methods in the protocol, each found and checked.
    func names(
        _ signatures: [MethodSignature], in type: any PealProtocol.Type, _ owner: peal_protocol
    ) throws(PealError) -> [String] {
        if signatures.isEmpty {
            throw PealError(
                status: .argument, message: "an observer of \(type.name) implements no method; add at least one with on"
            )
        }
        var names: [String] = []
        for signature in signatures {
            _ = try resolve(signature)
            // The name of an adopted method includes its protocol's, which distinguishes it from the protocol's own.
            names.append(signature.owner == type ? signature.name : "\(signature.owner.name).\(signature.name)")
        }
        return names
    }
}

extension [ObserverOption] {
    fileprivate var replaces: Bool { contains { if case .replacing = $0 { true } else { false } } }
    fileprivate var duplicates: Bool { contains { if case .allowingDuplicates = $0 { true } else { false } } }
}
