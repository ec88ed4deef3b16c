extension Center {
    /// Calls a closure for each broadcast of a method on an actor, isolated to it.
    ///
    ///     let observation = try center.observe(Chat.onMessage, on: log) { (log: isolated Log, room, count) in
    ///         log.add(room, count)
    ///     }
    ///
    /// The closure's first parameter must be declared `isolated`: Swift does not infer it here. The actor is a weak
    /// target: the observation ends once the actor has ended.
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - actor: Runs the closure, later.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the actor and the arguments; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/type`` for a parameter that is a bare pointer and so cannot be kept.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Owner, Isolation: Actor, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, on actor: Isolation, _ options: ObserverOption...,
        body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Void
    ) throws(PealError) -> ObserverToken {
        try listen(method.signature, CalledObject(actor).isolated(body), on: actor, options)
    }

    /// Calls an asynchronous closure for each broadcast of a method on an actor, isolated to it.
    ///
    ///     let observation = try center.observe(Chat.onMessage, on: log) { (log: isolated Log, room, count) in
    ///         await log.store(room, count)
    ///     }
    ///
    /// Each call is a task. It begins on the actor in the order of the broadcasts, and the next call begins when it
    /// suspends or ends. ``ObserverToken/cancelAndWait(delivering:timeout:)`` does not wait for a call that has
    /// suspended. A suspended call keeps the actor.
    ///
    /// - Parameters:
    ///   - method: The method to observe. It has no result.
    ///   - actor: Runs the closure, later.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the actor and the arguments; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a closure that does not suspend.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Owner, Isolation: Actor, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, on actor: Isolation, _ options: ObserverOption...,
        body: @escaping @Sendable (isolated Isolation, repeat each Parameter) async -> Void
    ) throws(PealError) -> ObserverToken {
        try listen(method.signature, CalledObject(actor).suspending(body), on: actor, options)
    }

    /// Calls a closure for each broadcast of a method with a result on an actor, isolated to it.
    ///
    ///     let observation = try center.observe(Chat.votes, on: log) { (log: isolated Log, room) in log.votes(in: room) }
    ///     let votes = try await center.method(Chat.votes).gather("lobby").results
    ///
    /// - Parameters:
    ///   - method: The method to observe. ``BoundMethod/gather(_:timeout:from:except:)`` returns its results; other broadcasts do
    ///     not wait for them.
    ///   - actor: Runs the closure, later.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the actor and the arguments, and returns the result; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/type`` for a parameter that is a bare pointer and so cannot be kept.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Owner, Isolation: Actor, Result: PealAnswer, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, on actor: Isolation, _ options: ObserverOption...,
        body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken where Result.Answer: PealResult & Sendable {
        try listen(method.signature, CalledObject(actor).isolated(body), on: actor, options)
    }

    /// Calls a closure that may throw for each broadcast of a method with a status on an actor, isolated to it.
    ///
    /// - Parameters:
    ///   - method: The method to observe. ``BoundMethod/gather(_:timeout:from:except:)`` returns the statuses.
    ///   - actor: Runs the closure, later.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the actor and the arguments. Returns for ``Status/ok``. An error becomes its status.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for another method with a result.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Owner, Isolation: Actor, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>, on actor: Isolation, _ options: ObserverOption...,
        body: @escaping @Sendable (isolated Isolation, repeat each Parameter) throws -> Void
    ) throws(PealError) -> ObserverToken {
        try listen(method.signature, CalledObject(actor).throwing(body), on: actor, options)
    }

    private func listen(
        _ signature: MethodSignature, _ response: Response, on actor: some Actor, _ options: [ObserverOption]
    ) throws(PealError) -> ObserverToken {
        let options = options + [.on(try ActorQueues.queue(of: actor)), .allowingDuplicates]
        return try registering(for: signature) { (found) throws(PealError) in
            try registerListener(to: signature.name, of: found.protocol) { names throws(PealError) in
                try register(actor, [response], for: names, of: found.protocol, options)
            }
        }
    }

    /// Calls a closure for each broadcast of a method on the main actor.
    ///
    ///     let observation = try center.observe(Chat.onMessage, on: MainActor.shared) { room, count in
    ///         label.text = room
    ///     }
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - actor: `MainActor.shared`.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the arguments; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/type`` for a parameter that is a bare pointer and so cannot be kept.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, on actor: MainActor, _ options: ObserverOption...,
        body: @escaping @MainActor @Sendable (repeat each Parameter) -> Void
    ) throws(PealError) -> ObserverToken {
        let response = Responses.onMain(body)
        return try listen(method.signature, options + [.on(try ActorQueues.queue(of: actor))], response)
    }

    /// Calls an asynchronous closure for each broadcast of a method on the main actor.
    ///
    /// Each call is a task, as for another actor.
    ///
    /// - Parameters:
    ///   - method: The method to observe. It has no result.
    ///   - actor: `MainActor.shared`.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the arguments; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a closure that does not suspend.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, on actor: MainActor, _ options: ObserverOption...,
        body: @escaping @MainActor @Sendable (repeat each Parameter) async -> Void
    ) throws(PealError) -> ObserverToken {
        let response = Responses.onMain { (values: repeat each Parameter) in
            _ = Task.immediate { @MainActor in await body(repeat each values) }
        }
        return try listen(method.signature, options + [.on(try ActorQueues.queue(of: actor))], response)
    }

    /// Observes a protocol by an actor.
    ///
    ///     let observation = try center.observe(Chat.self, on: log) {
    ///         $0.on(Chat.onMessage) { (log: isolated Log, room, count) in log.add(room, count) }
    ///         $0.on(Chat.onClose) { (log: isolated Log) in log.close() }
    ///     }
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - actor: A weak target, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As ``observe(_:_:methods:)``; ``Status/type`` for a parameter that is a bare pointer and so cannot be
    ///   kept.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Observed: PealProtocol, Isolation: Actor>(
        _ type: Observed.Type, on actor: Isolation, _ options: ObserverOption...,
        methods: (inout ActorMethods<Isolation>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ActorMethods(actor)
        methods(&list)
        let options = options + [.on(try ActorQueues.queue(of: actor)), .allowingDuplicates]
        return try register(actor, list.entries, of: type, options)
    }

    /// Observes a protocol by an object, on the main actor. The observation ends when the object does.
    ///
    ///     try center.observe(Chat.self, for: window, on: MainActor.shared) {
    ///         $0.on(Chat.onMessage) { window, room, count in window.show(room, count) }
    ///     }
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: A weak target: kept alive during each call only. The same one on the same protocol and actor is
    ///     refused, unless an option allows it.
    ///   - actor: `MainActor.shared`, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:for:_:methods:)``; ``Status/type`` for a parameter that is a bare pointer and so
    ///   cannot be kept.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject & Sendable>(
        _ type: Observed.Type, for object: Object, on actor: MainActor, _ options: ObserverOption...,
        methods: (inout MainActorMethods<Object>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = MainActorMethods(object)
        methods(&list)
        return try register(object, list.entries, of: type, options + [.on(try ActorQueues.queue(of: actor))]).keep()
    }
}
