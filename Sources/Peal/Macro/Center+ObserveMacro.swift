extension Center {
    /// Observes a protocol by an object, with its options in an array. The code that `@PealProtocol` makes uses it.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: A weak target: kept alive during each call only.
    ///   - options: Options of the observer.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:for:_:methods:)``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject & Sendable>(
        _ type: Observed.Type, for object: Object, options: [ObserverOption],
        methods: (inout ObjectMethods<Object>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ObjectMethods<Object>()
        methods(&list)
        return try register(object, list.entries, of: type, options).keep()
    }

    /// Observes a protocol by an actor, with the options in an array. The code that `@PealProtocol` makes uses it.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - actor: A weak target, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:on:_:methods:)``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    @discardableResult
    public func observe<Observed: PealProtocol, Isolation: Actor>(
        _ type: Observed.Type, on actor: Isolation, options: [ObserverOption],
        methods: (inout ActorMethods<Isolation>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ActorMethods<Isolation>()
        methods(&list)
        return try register(actor, list.entries, of: type, options + [.on(try ActorQueues.queue(of: actor))]).keep()
    }

    /// Observes a protocol by an object on the main actor, with the options in an array. The code that `@PealProtocol`
    /// makes uses it.
    ///
    /// The object need not be `Sendable`, so that its conformance to the Swift protocol may be the main actor's own.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: A weak target: kept alive during each call only.
    ///   - actor: `MainActor.shared`, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:for:on:_:methods:)``.
    ///
    /// The main actor. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @MainActor @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject>(
        _ type: Observed.Type, for object: Object, on actor: MainActor, options: [ObserverOption],
        methods: (inout MainActorObjectMethods) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = MainActorObjectMethods()
        methods(&list)
        // Unsafe: the object is only used on the main actor. Other threads count its references, which is safe.
        let target = unsafeBitCast(object as AnyObject, to: (any AnyObject & Sendable).self)
        return try register(target, list.entries, of: type, options + [.on(try ActorQueues.queue(of: actor))]).keep()
    }
}
