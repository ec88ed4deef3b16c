import CPeal

extension Center {
    /// Registers an object as an observer of a Swift type: of a protocol that it conforms to, or of a class.
    ///
    ///     protocol ChatObserver: AnyObject, Sendable { func didReceive(_ text: String) }
    ///
    ///     try center.observe((any ChatObserver).self, for: view)
    ///     try center.broadcast((any ChatObserver).self) { $0.didReceive("hello") }
    ///
    /// The object is a weak target: it is kept alive during each call, and once it has ended the registration ends.
    /// So the result need not be kept; it serves to block, or to end the registration early.
    ///
    /// - Parameters:
    ///   - type: The type of the calls.
    ///   - object: The observer. The same object on the same type and queue is refused, unless `options` allow
    ///     it.
    ///   - options: Options of the registration: `.priority(1)`, `.on(queue)`.
    /// - Returns: The registration, which stays when the result is dropped.
    /// - Throws: ``Status/duplicate``; ``Status/conformance`` for a value that is no object.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    @discardableResult
    public func observe<Observed: Sendable>(
        _ type: Observed.Type, for object: Observed, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try observe(type, object, options, isKept: false).keep()
    }

    /// Registers an object as an observer of a Swift type, and keeps the object alive meanwhile.
    ///
    ///     let observation = try center.observe((any ChatObserver).self, retaining: Recorder())
    ///
    /// - Parameters:
    ///   - type: The type of the calls.
    ///   - object: The observer. *Retained* until the observation has ended. The same object on the same type and queue
    ///     is refused, unless `options` allow it.
    ///   - options: Options of the registration.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As ``observe(_:for:_:)``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    public func observe<Observed: Sendable>(
        _ type: Observed.Type, retaining object: Observed, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try observe(type, object, options, isKept: true)
    }

    private func observe<Observed: Sendable>(
        _ type: Observed.Type, _ object: Observed, _ options: [ObserverOption], isKept: Bool
    ) throws(PealError) -> ObserverToken {
        let observer = try Self.observer(object, of: type)
        let protocols = try swiftProtocols.find(type, in: handle)
        let isQueued = peal_observe_options(options).queue.id != 0
        let methods = SwiftProtocol.methods(isQueued: isQueued)
        let responses = SwiftResponses.make(ObserverBits(object), isQueued: isQueued)
        return try register(observer, responses, for: methods, of: protocols.handle, options, isKept: isKept)
    }

    /// Ends all registrations of an object for a Swift type.
    ///
    /// - Parameters:
    ///   - type: The type of the registration.
    ///   - object: The observer.
    /// - Returns: The number of removed registrations.
    /// - Throws: ``Status/conformance`` for a value that is no object.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observation_remove`, for each.
    @discardableResult
    public func unobserve<Observed: Sendable>(_ type: Observed.Type, for object: Observed) throws(PealError) -> Int {
        let observer = try Self.observer(object, of: type)
        let protocols = try swiftProtocols.find(type, in: handle)
        let found = ObservedObjects.observations(of: observer, on: protocols.handle)
        return found.count { peal_observation_remove($0) == PEAL_OK }
    }

    /// How many observers a Swift type has, blocked ones included.
    ///
    /// - Parameter type: The type of the registrations.
    /// - Returns: How many registrations there are now.
    /// - Throws: ``Status/handle`` when the center has ended.
    ///
    /// Any thread. The C interface's `peal_protocol_count_observers`.
    public func observerCount<Observed: Sendable>(of type: Observed.Type) throws(PealError) -> Int {
        var count = 0
        try PealError.check(
            peal_protocol_count_observers(try swiftProtocols.find(type, in: handle).handle, &count))
        return count
    }

    /// The object of an observer.
    private static func observer<Observed: Sendable>(
        _ object: Observed, of type: Observed.Type
    ) throws(PealError) -> any AnyObject & Sendable {
        guard Swift.type(of: object as Any) is AnyClass else {
            throw PealError(
                status: .conformance,
                message: "\(Swift.type(of: object as Any)) is no class, so it cannot be held as an observer of "
                    + "\(type): make it a class")
        }
        // Unsafe: its type is Sendable, which has no trace at run time, so no cast can test it.
        return unsafeBitCast(object as AnyObject, to: (any AnyObject & Sendable).self)
    }
}
