internal import CPeal

extension Center {
    /// Calls a closure for each broadcast of a method that was found in this center.
    ///
    ///     let ping = try center.method("ping", of: "Plugin", taking: Int32.self)
    ///     let observation = try center.observe(ping) { number in … }
    ///
    /// `peal_observe_handler` in C.
    ///
    /// - Throws: ``Status/handle`` when the method is gone; else as for a declared method.
    @inlinable
    public func observe<each Parameter: PealValue>(
        _ method: BoundMethod<Void, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Void
    ) throws(PealError) -> Observation {
        try observe(method.untyped, options, Responses.make(body))
    }

    /// Calls a closure for each broadcast of a method that was found in this center, and gives back what it returns.
    @inlinable
    public func observe<Result: PealResult, each Parameter: PealValue>(
        _ method: BoundMethod<Result, repeat each Parameter>, _ options: ObserverOption...,
        body: @escaping @Sendable (repeat each Parameter) -> Result
    ) throws(PealError) -> Observation {
        try observe(method.untyped, options, Responses.make(body))
    }

    @usableFromInline
    func observe(
        _ method: ResolvedMethod, _ options: [ObserverOption], _ response: Response
    ) throws(PealError) -> Observation {
        let name = try CStrings.copied { Status(peal_method_name(method.method, $0, $1, $2)) }
        var found = peal_method(number: 0)
        try PealError.check(peal_method_find(method.protocol, name, &found))
        guard found.number == method.method.number else {
            throw PealError(
                status: .ambiguous,
                message: "'\(name)' means another method of the protocol; observe the protocol that declares it")
        }
        return try register(Handler([response]), for: [name], of: method.protocol, options)
    }
}
