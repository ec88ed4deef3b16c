import CPeal

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
