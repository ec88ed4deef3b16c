internal import CPeal

extension Center {
    /// Observes several methods of a protocol by closures.
    ///
    ///     let observation = try center.observe(Chat.self, .priority(5)) {
    ///         $0.on(Chat.onMessage) { room, count in … }
    ///         $0.on(Chat.mayClose) { true }
    ///     }
    ///
    /// Methods that the protocol adopts are among those that can be answered.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - options: What is special about the observer.
    ///   - methods: Says what is done for each method. Runs once, before this returns.
    /// - Returns: The observation, which ends when it is not kept.
    /// - Throws: ``Status/conformance``, whose sentence names the required methods that are missing;
    ///   ``Status/argument`` where no method is answered; ``Status/conflict`` for one that is answered twice.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    public func observe<Observed: PealProtocol>(
        _ type: Observed.Type, _ options: ObserverOption..., methods: (inout ObserverMethods) -> Void
    ) throws(PealError) -> Observation {
        var list = ObserverMethods()
        methods(&list)
        let owner = try findOrDefine(type)
        let names = try names(list.entries.map(\.signature), in: type, owner)
        return try register(Handler(list.entries.map(\.response)), for: names, of: owner, options)
    }

    /// Observes a protocol by an object, as long as that is alive. Once it is gone the observation ends by itself.
    ///
    ///     try center.observe(Chat.self, weakly: window) {
    ///         $0.on(Chat.onMessage, Window.show)
    ///     }
    ///
    /// It is called on any broadcasting thread, and so must be `Sendable`.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: Held weakly, and kept alive during each call. The same one on the same protocol and queue is refused, unless an option says
    ///     otherwise.
    ///   - options: What is special about the observer.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As the form without an object; ``Status/duplicate``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject & Sendable>(
        _ type: Observed.Type, weakly object: Object, _ options: ObserverOption...,
        methods: (inout ObjectMethods<Object>) -> Void
    ) throws(PealError) -> Observation {
        var list = ObjectMethods<Object>()
        methods(&list)
        let owner = try findOrDefine(type)
        let names = try names(list.entries.map(\.signature), in: type, owner)
        return try register(object, list.entries.map(\.response), for: names, of: owner, options).keep()
    }

    /// Ends all observations of an object on a protocol.
    ///
    /// For who kept no ``Observation``. Those for protocols that adopt it stay.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: Who observes it.
    /// - Returns: How many there were.
    /// - Throws: ``Status/conflict`` where the center knows the protocol otherwise; ``Status/handle`` when the center
    ///   has ended.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observation_remove`, for each.
    @discardableResult
    public func unobserve<Observed: PealProtocol>(_ type: Observed.Type, by object: AnyObject) throws(PealError) -> Int {
        let owner = try findOrDefine(type)
        let found = ObservedObjects.observations(of: object, on: owner)
        return found.count { peal_observation_remove($0) == PEAL_OK }
    }

    /// Registers an object, once a protocol and queue unless an option says otherwise.
    ///
    /// - Parameter isKept: Whether the registration keeps it alive.
    func register(
        _ object: any AnyObject & Sendable, _ responses: [ObjectResponse], for methods: [String],
        of owner: peal_protocol, _ options: [ObserverOption], isKept: Bool = false
    ) throws(PealError) -> Observation {
        let place = ObservedObjects.Key(protocol: owner, options, object: object)
        let handler = ObjectHandler(object, responses, place: place, isKept: isKept)
        return try register(handler, as: object, for: methods, of: owner, options, weak: ObjectHandler.weakType)
    }

    /// Registers what may be there once, and knows it by an object.
    func register(
        _ handler: PlacedHandler, as object: any AnyObject & Sendable, for methods: [String], of owner: peal_protocol,
        _ options: [ObserverOption], weak: UnsafePointer<peal_weak_type>? = nil
    ) throws(PealError) -> Observation {
        let others = try ObservedObjects.enter(handler, object, isExclusive: !options.replaces && !options.duplicates)
        let observation = try register(handler, for: methods, of: owner, options, weak: weak)
        ObservedObjects.note(observation.handle, of: handler)
        if options.replaces { for other in others { _ = peal_observation_remove(other) } }
        return observation
    }

    /// The names by which the protocol knows the methods, each found and checked.
    func names(
        _ signatures: [MethodSignature], in type: any PealProtocol.Type, _ owner: peal_protocol
    ) throws(PealError) -> [String] {
        if signatures.isEmpty {
            throw PealError(
                status: .argument, message: "an observer of \(type.name) answers no method; name at least one with on")
        }
        var names: [String] = []
        for signature in signatures {
            _ = try resolve(signature)
            // An adopted method goes by its protocol's name too, which tells it from one's own.
            names.append(signature.owner == type ? signature.name : "\(signature.owner.name).\(signature.name)")
        }
        return names
    }
}

extension [ObserverOption] {
    fileprivate var replaces: Bool { contains { if case .replacing = $0 { true } else { false } } }
    fileprivate var duplicates: Bool { contains { if case .allowingDuplicates = $0 { true } else { false } } }
}
