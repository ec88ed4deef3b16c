extension Center {
    /// Calls a closure for each broadcast of a method on an actor, isolated to it.
    ///
    ///     let observation = try center.observe(Chat.onMessage, on: log) { (log: isolated Log, room, count) in
    ///         log.add(room, count)
    ///     }
    ///
    /// The closure must be declared `isolated`: Swift does not infer it here. The actor is a weak target: the
    /// observation ends once it has ended.
    ///
    /// - Parameters:
    ///   - method: The method to observe. It has no result, because no broadcaster could wait for it.
    ///   - actor: Runs the closure, later.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the actor and the arguments; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/conformance`` when the protocol requires other methods too; ``Status/type`` for a parameter
    ///   that is a bare pointer and so cannot be kept.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    public func observe<Owner, Isolation: Actor, each Parameter: PealValue & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, on actor: Isolation, _ options: ObserverOption...,
        body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Void
    ) throws(PealError) -> Observation {
        let found = try resolve(method.signature)
        let response = ObjectResponses.make { (actor: Isolation, arguments: inout CallArguments) in
            let values = (repeat arguments.read((each Parameter).self))
            actor.assumeIsolated { body($0, repeat each values) }
        }
        let queue = try ActorQueues.queue(of: actor)
        return try register(
            actor, [response], for: [method.signature.name], of: found.protocol,
            options + [.on(queue), .allowingDuplicates])
    }

    /// Calls a closure for each broadcast of a method on the main actor.
    ///
    ///     let observation = try center.observe(Chat.onMessage, on: MainActor.shared) { room, count in
    ///         label.text = room
    ///     }
    ///
    /// - Parameters:
    ///   - method: The method to observe. It has no result, because no broadcaster could wait for it.
    ///   - actor: `MainActor.shared`.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the arguments; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/conformance`` when the protocol requires other methods too; ``Status/type`` for a parameter
    ///   that is a bare pointer and so cannot be kept.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    public func observe<Owner, each Parameter: PealValue & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, on actor: MainActor, _ options: ObserverOption...,
        body: @escaping @MainActor @Sendable (repeat each Parameter) -> Void
    ) throws(PealError) -> Observation {
        let response = Response { arguments, _ in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            MainActor.assumeIsolated { body(repeat each values) }
        }
        let queue = try ActorQueues.queue(of: actor)
        return try observe(method.signature, options + [.on(queue)], response)
    }
}
