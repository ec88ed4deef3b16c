extension Center {
    /// The broadcasts of a method, as an asynchronous sequence of its arguments.
    ///
    ///     let messages = try center.broadcasts(of: Chat.onMessage, bufferingPolicy: .bufferingNewest(10))
    ///     for await (room, count) in messages { print("\(count) in \(room)") }
    ///
    /// It listens from this call on. The broadcaster waits for nobody.
    ///
    /// - Parameters:
    ///   - method: What to hear. It has no result, since nobody could wait for it.
    ///   - bufferingPolicy: What becomes of broadcasts that nobody has taken yet: `.unbounded`, `.bufferingNewest(n)`,
    ///     `.bufferingOldest(n)`. What is dropped is counted: ``Broadcasts/dropped``.
    ///   - options: What is special about the observer. `.once` makes a sequence of one.
    /// - Returns: The sequence. The observation ends with it.
    /// - Throws: ``Status/conformance`` when the protocol requires other methods too.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    public func broadcasts<Owner, each Parameter: PealValue & Sendable>(
        of method: PealMethod<Owner, Void, repeat each Parameter>,
        bufferingPolicy: Broadcasts<(repeat each Parameter)>.BufferingPolicy = .unbounded, _ options: ObserverOption...
    ) throws(PealError) -> Broadcasts<(repeat each Parameter)> {
        try Broadcasts(bufferingPolicy) { source throws(PealError) in
            let body: @Sendable (repeat each Parameter) -> Void = { (argument: repeat each Parameter) in
                source.send((repeat each argument))
            }
            return try observe(method.signature, options, Responses.make(body))
        }
    }
}
