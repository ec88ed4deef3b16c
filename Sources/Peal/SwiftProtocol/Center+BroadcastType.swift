import CPeal

extension Center {
    /// Calls every observer of a Swift type in order of priority and registration: on this thread, or later on the
    /// observer's queue.
    ///
    ///     try center.broadcast((any ChatObserver).self) { $0.didReceive("hello") }
    ///
    /// An observer that is removed before its turn is not called. Neither is one that is registered meanwhile.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once for each observer: at once, or later on its queue.
    /// - Returns: How many were called, or will be, and whether a full queue refused.
    /// - Throws: ``Status/handle`` when the center has ended; ``Status/depth``. No observer was called then.
    ///
    /// Any thread, also from a callback. The C interface's `peal_send`.
    @discardableResult
    public func broadcast<Observed: Sendable>(
        _ type: Observed.Type, _ body: @escaping @Sendable (Observed) -> Void
    ) throws(PealError) -> Delivery {
        try send(TypedSwiftCall(body), to: type)
    }

    /// Calls every observer of a Swift type with a closure that may throw. A failure of one observer does not prevent
    /// the calls of the others. Each failure is reported.
    ///
    ///     try center.broadcast((any Saver).self) { try $0.save() } reporting: { log($0) }
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once an observer.
    ///   - reporting: Receives its error, on the thread of that call.
    /// - Returns: How many were called, or will be, and whether a full queue refused.
    /// - Throws: ``Status/handle`` when the center has ended; ``Status/depth``. No observer was called then.
    ///
    /// Any thread, also from a callback. The C interface's `peal_send`.
    @discardableResult
    public func broadcast<Observed: Sendable, Failure: Error>(
        _ type: Observed.Type, _ body: @escaping @Sendable (Observed) throws(Failure) -> Void,
        reporting: @escaping @Sendable (Failure) -> Void
    ) throws(PealError) -> Delivery {
        try broadcast(type) { observer in
            do throws(Failure) {
                try body(observer)
            } catch {
                reporting(error)
            }
        }
    }

    func send(_ call: SwiftCall, to type: Any.Type) throws(PealError) -> Delivery {
        var count = 0
        var status = Self.send(call, to: try swiftProtocols.find(type, in: handle), &count)
        if status == PEAL_ERROR_HANDLE {
            // The protocol was removed with its owner, or the center has ended. If the center has ended, this search
            // fails too.
            swiftProtocols.remove(type)
            status = Self.send(call, to: try swiftProtocols.find(type, in: handle), &count)
        }
        return Delivery(status: Status(try PealError.check(status)), calls: count)
    }

    private static func send(_ call: SwiftCall, to protocols: SwiftProtocol, _ count: inout Int) -> peal_status {
        var context: UnsafeMutableRawPointer? = Box.address(of: call)
        return withExtendedLifetime(call) {
            withUnsafeMutablePointer(to: &context) { context in
                var argument: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(context)
                return peal_send(protocols.call, &argument, 1, nil, &count)
            }
        }
    }
}

extension Center {
    /// Calls every observer of a Swift type that is isolated to the main actor, on it.
    ///
    ///     @MainActor protocol Screen: AnyObject, Sendable { func show(_ text: String) }
    ///
    ///     try center.broadcastOnMain((any Screen).self) { $0.show("hello") }
    ///
    /// From elsewhere it is `try await`. Observers without a queue are called before this returns, in order; those
    /// on a queue at their turn there, and then on the main actor.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once an observer.
    /// - Returns: How many were called, or will be, and whether a full queue refused.
    /// - Throws: ``Status/handle`` when the center has ended; ``Status/depth``. No observer was called then.
    ///
    /// The main actor. The C interface's `peal_send`.
    @MainActor @discardableResult
    public func broadcastOnMain<Observed: Sendable>(
        _ type: Observed.Type, _ body: @escaping @MainActor @Sendable (Observed) -> Void
    ) throws(PealError) -> Delivery {
        try send(MainSwiftCall(body), to: type)
    }
}

extension Center {
    /// Visits the observers of a Swift type that are called at once, in order.
    ///
    ///     var names: [String] = []
    ///     try center.visit((any Plugin).self) { names.append($0.name) }
    ///
    /// Observers on queues cannot answer in time and are not visited: a broadcast reaches them.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once an observer, before this returns. Its error ends the visit and is thrown on.
    /// - Throws: The body's error, or ``PealError``.
    ///
    /// Any thread, also from a callback. The C interface's `PEAL_EACH`.
    public func visit<Observed: Sendable>(_ type: Observed.Type, _ body: (Observed) throws -> Void) throws {
        try visitUntil(type) { observer in
            try body(observer)
            return false
        }
    }

    /// The first answer that an observer of a Swift type has.
    ///
    ///     let reader = try center.first((any Plugin).self) { $0.reader(for: file) }
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called with one observer after the other until it returns an answer.
    /// - Returns: That answer, or nil.
    /// - Throws: The body's error, or ``PealError``.
    ///
    /// Any thread, also from a callback. The C interface's `PEAL_EACH`.
    public func first<Observed: Sendable, Answer>(
        _ type: Observed.Type, _ body: (Observed) throws -> Answer?
    ) throws -> Answer? {
        var answer: Answer?
        try visitUntil(type) { observer in
            answer = try body(observer)
            return answer != nil
        }
        return answer
    }

    /// The results of all observers of a Swift type that are called at once, in order.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once an observer.
    /// - Returns: The answers, in the order of the calls.
    /// - Throws: The body's error, or ``PealError``.
    ///
    /// Any thread, also from a callback. The C interface's `PEAL_EACH`.
    public func collect<Observed: Sendable, Answer>(
        _ type: Observed.Type, _ body: (Observed) throws -> Answer
    ) throws -> [Answer] {
        var answers: [Answer] = []
        try visit(type) { answers.append(try body($0)) }
        return answers
    }

    /// Visits until the body returns true, or throws.
    private func visitUntil<Observed: Sendable>(_ type: Observed.Type, _ body: (Observed) throws -> Bool) throws {
        var thrown: (any Error)?
        try withoutActuallyEscaping(body) { body in
            let visit = SwiftVisit { observer in
                do {
                    return try body(observer.observer(as: Observed.self))
                } catch {
                    thrown = error
                    return true
                }
            }
            try send(visit, to: type)
        }
        if let thrown { throw thrown }
    }

    private func send(_ visit: SwiftVisit, to type: Any.Type) throws(PealError) {
        var status = Self.send(visit, to: try swiftProtocols.find(type, in: handle))
        if status == PEAL_ERROR_HANDLE {
            swiftProtocols.remove(type)
            status = Self.send(visit, to: try swiftProtocols.find(type, in: handle))
        }
        try PealError.check(status)
    }

    private static func send(_ visit: SwiftVisit, to protocols: SwiftProtocol) -> peal_status {
        var visit = visit
        return withUnsafeMutablePointer(to: &visit) { visit in
            var context: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(visit)
            return withUnsafeMutablePointer(to: &context) { context in
                var argument: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(context)
                var isOver = false
                return peal_send(protocols.visit, &argument, 1, &isOver, nil)
            }
        }
    }
}
