internal import CPeal

/// The outcome of all answers to a method with a completion. `struct peal_completion_info` in C.
public struct Answers: Hashable, Sendable {
    /// ``Status/ok`` when all have answered or were dropped; ``Status/timeout``; ``Status/state`` when the completion
    /// was cancelled.
    public let status: Status
    /// The results, folded by the completion's policy; `nil` when no observer has answered.
    public let result: Int64?
    /// How many observers there were.
    public let asked: Int
    /// How many answered.
    public let completed: Int
    /// How many were dropped, and will not answer.
    public let dropped: Int

    /// True if the time limit has passed before all had answered.
    public var isLate: Bool { status == .timeout }

    init(_ report: peal_completion_info) {
        status = Status(report.status)
        result = report.completed == 0 ? nil : report.result
        asked = report.observers
        completed = report.completed
        dropped = report.dropped
    }
}

extension Completion {
    /// Broadcasts, and waits for all answers.
    ///
    ///     let answers = try await Completion.answers(folding: .sum) { done throws(PealError) in
    ///         try center.broadcast(Push.onEarly, done, 0.5)
    ///     }
    ///
    /// For a method whose completion is not its last parameter; for others there is `Center.ask`.
    ///
    /// - Parameters:
    ///   - policy: The rule that makes one result of the observers' results.
    ///   - timeout: How long to wait, from now; `nil` for no limit.
    ///   - ask: Passes the completion to one broadcast. Runs once, at once. Its error is thrown on.
    /// - Throws: `CancellationError` when the task is cancelled before all have answered; ``Status/policy`` for a
    ///   policy that folds no answers; the closure's error.
    ///
    /// Any task. The C interface's `peal_completion_create`.
    public nonisolated(nonsending) static func answers(
        folding policy: Policy = .last, timeout: Duration? = nil, _ ask: (Completion) throws(PealError) -> Void
    ) async throws -> Answers {
        let promise = Promise<Answers>()
        let completion = try Completion(folding: policy, timeout: timeout) { promise.keep($0) }
        do throws(PealError) {
            try ask(completion)
        } catch {
            completion.cancel()
            // The limit may have expired before any call: then the broadcast is refused, and this is no mistake.
            guard error.status == .handle, let answers = promise.kept, answers.isLate else { throw error }
            return answers
        }
        let answers = await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            completion.cancel()
        }
        if answers.status == .state, Task.isCancelled { throw CancellationError() }
        return answers
    }
}

extension Center {
    /// Calls a method with a completion on all observers, and waits for their answers.
    ///
    ///     let answers = try await center.ask(Push.onPush, "news", folding: .max, timeout: .seconds(5))
    ///
    /// Observers without a queue are called before this waits.
    ///
    /// - Parameters:
    ///   - method: A method whose last parameter is a ``Completion``.
    ///   - arguments: All but the completion.
    ///   - policy: The rule that makes one result: `last`, `sum`, `min`, `max`, `any` or `every`.
    ///   - timeout: How long to wait for answers; `nil` for no limit.
    /// - Throws: `CancellationError` when the task is cancelled before all have answered. ``Status/policy`` for another
    ///   policy; else as a broadcast. No observer was called then.
    ///
    /// Any task. The C interface's `peal_completion_create` and `peal_send`.
    public nonisolated(nonsending) func ask<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter, Completion>, _ arguments: repeat each Parameter,
        folding policy: Policy = .last, timeout: Duration? = nil
    ) async throws -> Answers {
        try await Completion.answers(folding: policy, timeout: timeout) { completion throws(PealError) in
            try broadcast(method, repeat each arguments, completion)
        }
    }

    /// The same for a method that was found in this center.
    public nonisolated(nonsending) func ask<each Parameter: PealParameter>(
        _ method: BoundMethod<Void, repeat each Parameter, Completion>, _ arguments: repeat each Parameter,
        folding policy: Policy = .last, timeout: Duration? = nil
    ) async throws -> Answers {
        try await Completion.answers(folding: policy, timeout: timeout) { completion throws(PealError) in
            try method.broadcast(repeat each arguments, completion)
        }
    }
}
