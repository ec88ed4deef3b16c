import CPeal
import Synchronization

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
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult
    public func broadcast<Observed: Sendable>(
        _ type: Observed.Type, _ body: @escaping @Sendable (Observed) -> Void
    ) throws(PealError) -> Delivery {
        try send(TypedSwiftCall(body), to: type)
    }

    /// Calls every observer of a Swift type with a closure that may suspend, so an observer may be an actor.
    ///
    ///     protocol Log: Actor { func add(_ text: String) }
    ///
    ///     try center.broadcast((any Log).self) { await $0.add("hello") }
    ///
    /// Each call is a task, which begins on this thread, or on the observer's queue at its turn. So an actor gets the
    /// calls of one thread in the order of the broadcasts.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once for each observer.
    /// - Returns: How many tasks begin, and whether a full queue refused.
    /// - Throws: ``Status/handle`` when the center has ended; ``Status/depth``. No observer was called then.
    ///
    /// Thread rule: any thread. The C interface's `peal_send`.
    @_disfavoredOverload @discardableResult
    public func broadcast<Observed: Sendable>(
        _ type: Observed.Type, suspending body: @escaping @Sendable (Observed) async -> Void
    ) throws(PealError) -> Delivery {
        try broadcast(type) { observer in
            _ = Task.immediate { await body(observer) }
        }
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
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
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
    /// Thread rule: any thread; it may wait. The C interface's `PEAL_EACH`.
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
    /// Thread rule: any thread; it may wait. The C interface's `PEAL_EACH`.
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
    /// Thread rule: any thread; it may wait. The C interface's `PEAL_EACH`.
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

extension Center {
    /// Calls every observer of a Swift type, those on queues too, and waits for their answers.
    ///
    ///     let names = try await center.gather((any Plugin).self, timeout: .seconds(1)) { await $0.name() }.results
    ///
    /// Each call is a task. It begins on this thread, or on the observer's queue at its turn. So an observer may be an
    /// actor, and its answer may suspend.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - timeout: How long to wait for answers; `nil` for no limit. Calls that run continue after it.
    ///   - body: Called once for each observer.
    /// - Returns: The answers, in the order of their arrival, and how many observers will not answer.
    /// - Throws: `CancellationError` when the task is cancelled before all have answered; ``Status/handle`` when the
    ///   center has ended; ``Status/depth``.
    ///
    /// Any task. The C interface's `peal_send`.
    public func gather<Observed: Sendable, Answer: Sendable>(
        _ type: Observed.Type, timeout: Duration? = nil, _ body: @escaping @Sendable (Observed) async -> Answer
    ) async throws -> Gathered<Answer> {
        let end = Promise<Status>()
        let answers = SwiftAnswers<Answer>()
        let observers = try ask(type, SwiftQuestion(answers, end), body)
        let limit = timeout.map { timeout in
            Task {
                try await Task.sleep(for: timeout)
                end.keep(.timeout)
            }
        }
        defer { limit?.cancel() }
        let status = await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            end.keep(.state)
        }
        // Late answers are still appended. These are copied one by one, because the thread sanitizer does not see all counts
        // of an array that a thread reads while another thread changes its own copy.
        let results = answers.list.withLock { $0.map { $0 } }
        let dropped = status == .ok ? observers - results.count : 0
        return try Gathered(results: results, status: status, observers: observers, dropped: dropped).unlessCancelled()
    }

    /// Sends the question, and releases it: it ends once no observer has it.
    private func ask<Observed: Sendable, Answer: Sendable>(
        _ type: Observed.Type, _ question: SwiftQuestion<Answer>,
        _ body: @escaping @Sendable (Observed) async -> Answer
    ) throws(PealError) -> Int {
        try broadcast(type) { observer in
            _ = Task.immediate { question.answer(await body(observer)) }
        }.calls
    }
}

/// The answers to a question so far.
private final class SwiftAnswers<Answer: Sendable>: Sendable {
    let list = Mutex<[Answer]>([])
}

/// A question to observers of a Swift type. Each waiting call and each task keeps it. So its end means that all have
/// answered or were dropped.
private final class SwiftQuestion<Answer: Sendable>: Sendable {
    private let answers: SwiftAnswers<Answer>
    private let end: Promise<Status>

    init(_ answers: SwiftAnswers<Answer>, _ end: Promise<Status>) {
        self.answers = answers
        self.end = end
    }

    func answer(_ answer: Answer) { answers.list.withLock { $0.append(answer) } }

    deinit { end.keep(.ok) }
}

extension Center {
    /// The calls of an observer of a Swift type, as an asynchronous sequence.
    ///
    ///     final class Texts: ChatObserver {
    ///         let send: @Sendable (String) -> Void
    ///         init(_ send: @escaping @Sendable (String) -> Void) { self.send = send }
    ///         func didReceive(_ text: String) { send(text) }
    ///     }
    ///
    ///     for await text in try center.broadcasts(of: (any ChatObserver).self, through: { Texts($0) }) { … }
    ///
    /// - Parameters:
    ///   - type: The type of the registration.
    ///   - bufferingPolicy: The rule for unread elements. Dropped ones are counted: ``Broadcasts/dropped``.
    ///   - options: Options of the observer.
    ///   - observer: Makes the observer, which makes an element of each call and passes it to the given function. The
    ///     sequence keeps the observer.
    /// - Returns: The sequence. The observation ends with it.
    /// - Throws: As ``observe(_:retaining:_:)``.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func broadcasts<Observed: Sendable, Element: Sendable>(
        of type: Observed.Type, bufferingPolicy: BufferingPolicy = .unbounded, _ options: ObserverOption...,
        through observer: (_ send: @escaping @Sendable (Element) -> Void) -> Observed
    ) throws(PealError) -> Broadcasts<Element> {
        try Broadcasts(bufferingPolicy) { source throws(PealError) in
            try observe(type, observer { source.send($0) }, options, isKept: true)
        }
    }
}
