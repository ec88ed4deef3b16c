extension Completion {
    /// Asks by a broadcast, and waits for all answers.
    ///
    ///     let answers = try await Completion.answers(folding: .sum) { done throws(PealError) in
    ///         try center.broadcast(Push.onEarly, done, 0.5)
    ///     }
    ///
    /// For a method whose completion is not its last parameter; for others there is `Center.ask`.
    /// When the task is cancelled, what has come so far is the outcome.
    ///
    /// - Parameters:
    ///   - policy: What becomes of the results.
    ///   - limit: How long to wait, from now; `nil` for as long as it takes.
    ///   - ask: Passes the completion to one broadcast. Runs once, at once. What it throws is thrown on.
    /// - Throws: ``Status/policy`` for a policy that folds no answers; what the closure throws.
    ///
    /// Any task. The C interface's `peal_completion_create`.
    public nonisolated(nonsending) static func answers(
        folding policy: Policy = .last, within limit: Duration? = nil, _ ask: (Completion) throws(PealError) -> Void
    ) async throws(PealError) -> Answers {
        let promise = AnswersPromise()
        let completion = try Completion(folding: policy, within: limit) { promise.keep($0) }
        do throws(PealError) {
            try ask(completion)
        } catch {
            completion.cancel()
            // The time may have passed before anybody was asked: then the broadcast is refused, and this is no mistake.
            guard error.status == .handle, let answers = promise.kept, answers.isLate else { throw error }
            return answers
        }
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            completion.cancel()
        }
    }
}

extension Center {
    /// Calls a method with a completion on all observers, and waits for their answers.
    ///
    ///     let answers = try await center.ask(Push.onPush, "news", folding: .max, within: .seconds(5))
    ///
    /// Observers without a queue are called before this waits. When the task is cancelled, what has come so far is
    /// the outcome.
    ///
    /// - Parameters:
    ///   - method: One whose last parameter is a ``Completion``.
    ///   - arguments: All but the completion.
    ///   - policy: What becomes of the results: `last`, `sum`, `min`, `max`, `any` or `every`.
    ///   - limit: How long to wait for answers; `nil` for as long as it takes.
    /// - Throws: ``Status/policy`` for another policy; else as a broadcast. Then nobody was asked.
    ///
    /// Any task. The C interface's `peal_completion_create` and `peal_send`.
    public nonisolated(nonsending) func ask<Owner, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Void, repeat each Parameter, Completion>, _ arguments: repeat each Parameter,
        folding policy: Policy = .last, within limit: Duration? = nil
    ) async throws(PealError) -> Answers {
        try await Completion.answers(folding: policy, within: limit) { completion throws(PealError) in
            try broadcast(method, repeat each arguments, completion)
        }
    }

    /// The same for a method that was found in this center.
    public nonisolated(nonsending) func ask<each Parameter: PealValue>(
        _ method: BoundMethod<Void, repeat each Parameter, Completion>, _ arguments: repeat each Parameter,
        folding policy: Policy = .last, within limit: Duration? = nil
    ) async throws(PealError) -> Answers {
        try await Completion.answers(folding: policy, within: limit) { completion throws(PealError) in
            try method.broadcast(repeat each arguments, completion)
        }
    }
}
