internal import CPeal

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
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
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
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    @inlinable
    public func observe<Result: PealAnswer, each Parameter: PealParameter>(
        _ method: BoundMethod<Result, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) throws(PealError) -> ObserverToken where Result.Answer: PealResult {
        try observe(method.untyped, options, Responses.make(body))
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
                message: "'\(name)' means another method of the protocol; observe the protocol that declares it")
        }
        return try register(Handler([response]), for: [name], of: method.protocol, options)
    }
}
