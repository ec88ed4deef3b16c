extension Center {
    /// Calls a method on all observers.
    ///
    ///     try center.broadcast(Chat.onMessage, "lobby", 3)
    ///
    /// The same as `try center.method(Chat.onMessage)("lobby", 3)`: see ``BoundMethod``. `peal_send` in C.
    ///
    /// - Returns: How many there were.
    @discardableResult @inlinable
    public func broadcast<Owner, Result, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> Delivery {
        try self.method(method).send(repeat each arguments)
    }

    /// Calls a method on observers, and gives their results as its policy says.
    ///
    ///     if try center.ask(Chat.mayClose) { … }
    @inlinable
    public func ask<Owner, Result: PealValue, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> Result {
        try self.method(method).ask(repeat each arguments)
    }

    /// Calls a method on all observers, and gives all results, in the order of the calls.
    @inlinable
    public func collect<Owner, Result: PealValue, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> [Result] {
        try self.method(method).collect(repeat each arguments)
    }
}
