import CPeal
import Synchronization

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
        let asked = try ask(type, SwiftQuestion(answers, end), body)
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
        let results = answers.list.withLock(\.self)
        let dropped = status == .ok ? asked - results.count : 0
        return try Gathered(results: results, status: status, asked: asked, dropped: dropped).unlessCancelled()
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
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    public func broadcasts<Observed: Sendable, Element: Sendable>(
        of type: Observed.Type, bufferingPolicy: BufferingPolicy = .unbounded, _ options: ObserverOption...,
        through observer: (_ send: @escaping @Sendable (Element) -> Void) -> Observed
    ) throws(PealError) -> Broadcasts<Element> {
        try Broadcasts(bufferingPolicy) { source throws(PealError) in
            try observe(type, observer { source.send($0) }, options, isKept: true)
        }
    }
}
