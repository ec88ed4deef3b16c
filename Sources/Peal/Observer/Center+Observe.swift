internal import CPeal

extension Center {
    /// Calls a closure for each broadcast of a method.
    ///
    ///     let observation = try center.observe(Chat.onMessage) { room, count in
    ///         print("\(count) in \(room)")
    ///     }
    ///
    /// The closure runs on the broadcasting thread, or on the queue among the options. It may observe, end
    /// observations and broadcast.
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the registration.
    ///   - body: Kept until the observation has ended and its last call has returned.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/conformance`` when the protocol requires other methods too: observe the protocol then;
    ///   ``Status/conflict`` if the center has the method with another prototype; ``Status/type`` for a queue
    ///   where a parameter is a bare pointer.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(method.signature, options, Responses.make(body))
    }

    /// Calls a closure for each broadcast of a method, and returns its result.
    ///
    ///     let observation = try center.observe(Chat.mayClose) { !document.isEdited }
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the registration.
    ///   - body: Kept like that of a method without a result.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a method without a result.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken where Result.Answer: PealResult {
        try observe(method.signature, options, Responses.make(body))
    }

    /// Calls a closure that may throw for each broadcast of a method with a status.
    ///
    ///     let disk = try center.observe(Files.save) { path in try write(path) }
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the registration.
    ///   - body: Returns for ``Status/ok``. An error becomes its status: ``StatusError``. Kept like that of a method
    ///     without a result.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a method without a result.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) throws -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(method.signature, options, Responses.makeThrowing(body))
    }

    /// Calls a closure for each broadcast of a method, with options that the program has as a list.
    @inlinable
    public func observe<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, options: [ObserverOption],
        body: @escaping @Sendable (repeat each Parameter) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(method.signature, options, Responses.make(body))
    }

    /// Calls a closure for each broadcast of a method, and returns its result, with options that the program has as a
    /// list.
    @inlinable
    public func observe<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, options: [ObserverOption],
        body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken where Result.Answer: PealResult {
        try observe(method.signature, options, Responses.make(body))
    }

    /// Refuses a result that an observer cannot return, such as an optional number: it would be a pointer to a value
    /// that ends with the call.
    @available(
        *, unavailable,
        message:
            "an observer cannot return this type: declare the result as a number, a Bool, an enum, a String, a struct or a pointer"
    )
    public func observe<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken {
        throw PealError(status: .type, message: "an observer cannot return this type")
    }

    /// Refuses an error that no broadcaster could receive.
    @available(*, unavailable, message: "no broadcaster receives the error: declare the method's result as Status")
    public func observe<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) throws -> Void
    ) throws(PealError) -> ObserverToken {
        throw PealError(status: .type, message: "no broadcaster receives the error")
    }

    @usableFromInline
    func observe(
        _ signature: MethodSignature, _ options: [ObserverOption], _ response: Response
    ) throws(PealError) -> ObserverToken {
        try registering(for: signature) { (found) throws(PealError) in
            try register(Handler([response]), for: [signature.name], of: found.protocol, options)
        }
    }

    /// Registers a listener to one method. Where the protocol requires other methods, the listener implements them by
    /// doing nothing, and abstains from their results.
    ///
    /// - Parameter attempt: Registers for methods, of which the first is the one with that name.
    func registerListener(
        to name: String, of owner: peal_protocol, _ attempt: ([String]) throws(PealError) -> ObserverToken
    ) throws(PealError) -> ObserverToken {
        do throws(PealError) {
            return try attempt([name])
        } catch  where error.status == .conformance {
            let methods = try CStrings.handles(peal_method()) { Status(peal_protocol_list_methods(owner, $0, $1, $2)) }
            var names = [name]
            for method in methods {
                let info = try MethodInfo(method)
                if info.isRequired, info.name != name { names.append(info.name) }
            }
            return try attempt(names)
        }
    }

    func listen(
        _ signature: MethodSignature, _ options: [ObserverOption], _ response: Response
    ) throws(PealError) -> ObserverToken {
        try registering(for: signature) { (found) throws(PealError) in
            try registerListener(to: signature.name, of: found.protocol) { names throws(PealError) in
                try register(Handler([response]), for: names, of: found.protocol, options)
            }
        }
    }

    /// Registers a handler. It is kept until the observation's last call has returned.
    func register(
        _ handler: Handler, for methods: [String], of protocol: peal_protocol, _ options: [ObserverOption]
    ) throws(PealError) -> ObserverToken {
        handler.queue = options.keptQueue
        var observation = peal_observation(id: 0)
        try peal_observe_options.with(options) { cOptions throws(PealError) in
            let target = cOptions.pass(handler)
            let status = CStrings.withList(methods) { names in
                peal_observe_handler(`protocol`, target, Handler.call, names, methods.count, &cOptions, &observation)
            }
            try PealError.check(status)
        }
        return ObserverToken(observation)
    }
}

extension Center {
    /// Calls a closure for each broadcast of a method that was found in this center.
    ///
    ///     let ping = try center.method("ping", of: "Plugin", taking: Int32.self)
    ///     let observation = try center.observe(ping) { number in … }
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the registration.
    ///   - body: Kept until the observation has ended and its last call has returned.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/handle`` when the method has ended; else as for a declared method.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<each Parameter: PealParameter>(
        _ method: BoundMethod<Void, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(method.untyped, options, Responses.make(body))
    }

    /// Calls a closure for each broadcast of a method that was found in this center, and returns its result.
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the registration.
    ///   - body: Kept as that of a method without a result.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a method without a result.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<Result: PealAnswer, each Parameter: PealParameter>(
        _ method: BoundMethod<Result, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken where Result.Answer: PealResult {
        try observe(method.untyped, options, Responses.make(body))
    }

    /// Calls a closure that may throw for each broadcast of a method with a status that was found in this center.
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the registration.
    ///   - body: Returns for ``Status/ok``. An error becomes its status: ``StatusError``.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As for a method without a result.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<each Parameter: PealParameter>(
        _ method: BoundMethod<Status, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) throws -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(method.untyped, options, Responses.makeThrowing(body))
    }

    @usableFromInline
    func observe(
        _ method: ResolvedMethod, _ options: [ObserverOption], _ response: Response
    ) throws(PealError) -> ObserverToken {
        let name = try CStrings.copied { Status(peal_method_name(method.method, $0, $1, $2)) }
        var found = peal_method(id: 0)
        try PealError.check(peal_method_find(method.protocol, name, &found))
        guard found.id == method.method.id else {
            throw PealError(
                status: .ambiguous,
                message:
                    "'\(name)' is the name of another method of the protocol too; observe the protocol that declares it"
            )
        }
        return try register(Handler([response]), for: [name], of: method.protocol, options)
    }
}
