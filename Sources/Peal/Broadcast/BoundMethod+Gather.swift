internal import CPeal

extension BoundMethod where Result: PealAnswer, Result.Answer: Sendable, repeat each Parameter: Sendable {
    /// Calls all observers, those on queues too, and waits for their answers.
    ///
    ///     let votes = try await center.method(Chat.votes).gather("lobby", timeout: .seconds(1)).results
    ///
    /// Observers without a queue are called before this waits.
    ///
    /// - Parameters:
    ///   - arguments: The observers' arguments.
    ///   - timeout: How long to wait for answers; `nil` for no limit.
    /// - Returns: The results, and how many observers will not answer.
    /// - Throws: `CancellationError` when the task is cancelled before all have answered; else as a broadcast, and no observer
    ///   was called then.
    ///
    /// Any task. The C interface's `peal_gather`.
    public func gather(
        _ arguments: repeat each Parameter, timeout: Duration? = nil
    ) async throws -> Gathered<Result.Answer> {
        var queue = peal_queue(id: 0)
        try PealError.check(peal_queue_create(nil, &queue))
        let cancellation = GatheringCancellation()
        let ownQueue = queue
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let gathering = Gathering<Result.Answer>(continuation, on: ownQueue)
                begin(
                    repeat each arguments, gathering: gathering, on: ownQueue, timeout: Milliseconds.limit(timeout),
                    cancellation: cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try outcome.get().unlessCancelled()
    }

    private func begin(
        _ arguments: repeat each Parameter, gathering: Gathering<Result.Answer>, on queue: peal_queue, timeout: UInt32,
        cancellation: GatheringCancellation
    ) {
        let context = Box.retain(gathering)
        var options = peal_gather_options()
        options.size = MemoryLayout<peal_gather_options>.size
        options.queue = queue
        options.reply = GatheringTarget.reply
        options.done = GatheringTarget.done
        options.context = context
        options.timeout = timeout
        do throws(PealError) {
            var completion = peal_completion(id: 0)
            let method = handle
            _ = try Self.lend(repeat each arguments) { list, count in
                peal_gather(method, list, count, &options, &completion)
            }
            cancellation.begin(completion)
        } catch {
            gathering.fail(error)
            Box.release(context)
        }
    }
}
