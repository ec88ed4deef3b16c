internal import CPeal
internal import Synchronization

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
    ///   - origin: A number by which observers recognise the broadcast: ``CallInfo/origin``. 0 for none.
    ///   - observer: An observer that is not called; `nil` for none.
    /// - Returns: The results, and how many observers will not answer.
    /// - Throws: `CancellationError` when the task is cancelled before all have answered; else as a broadcast, and no
    ///   observer was called then.
    ///
    /// Any task. The C interface's `peal_gather`.
    public func gather(
        _ arguments: repeat each Parameter, timeout: Duration? = nil, from origin: UInt64 = 0,
        except observer: ObserverToken? = nil
    ) async throws -> Gathered<Result.Answer> {
        var options = peal_gather_options()
        options.size = MemoryLayout<peal_gather_options>.size
        options.timeout = Milliseconds.limit(timeout)
        options.origin = origin
        options.except = observer?.handle ?? peal_observation()
        var queue = peal_queue(id: 0)
        try PealError.check(peal_queue_create(nil, &queue))
        let cancellation = GatheringCancellation()
        let ownQueue = queue
        options.queue = queue
        let prepared = options
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let gathering = Gathering<Result.Answer>(continuation, on: ownQueue)
                begin(
                    repeat each arguments, gathering: gathering, prepared, cancellation: cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try outcome.get().unlessCancelled()
    }

    private func begin(
        _ arguments: repeat each Parameter, gathering: Gathering<Result.Answer>, _ options: peal_gather_options,
        cancellation: GatheringCancellation
    ) {
        let context = Box.retain(ClosureTarget<GatheringEvent> { gathering.receive($0) })
        var options = options
        options.reply = { context, _, result in
            if let result { ClosureTarget.call(context, GatheringEvent.reply(result)) }
        }
        options.done = { context, report in
            guard let context, let report else { return }
            ClosureTarget.call(context, GatheringEvent.end(report.pointee))
            Box.release(context)
        }
        options.context = context
        do throws(PealError) {
            var completion = peal_completion(id: 0)
            let method = handle
            _ = try Self.withEncoded(repeat each arguments) { list, count in
                peal_gather(method, list, count, &options, &completion)
            }
            cancellation.begin(completion)
        } catch {
            gathering.fail(error)
            Box.release(context)
        }
    }
}

/// An event of a gathering that runs.
private enum GatheringEvent {
    case reply(UnsafeRawPointer)
    case end(peal_completion_info)
}

/// A gathering that runs. The target of its events keeps it until it has ended.
private final class Gathering<Result: PealValue & Sendable>: Sendable {
    typealias Outcome = Swift.Result<Gathered<Result>, PealError>

    private let results = Mutex<[Result]>([])
    private let continuation: CheckedContinuation<Outcome, Never>
    /// The gathering's own queue, which ends with it. The C functions run there, one after the other.
    private let queue: peal_queue

    init(_ continuation: CheckedContinuation<Outcome, Never>, on queue: peal_queue) {
        self.continuation = continuation
        self.queue = queue
    }

    deinit { _ = peal_queue_destroy(queue) }

    func receive(_ event: GatheringEvent) {
        switch event {
        case .reply(let result):
            let value = Result.read(from: result)
            results.withLock { $0.append(value) }
        case .end(let report):
            let gathered = Gathered(
                results: results.withLock(\.self), status: Status(report.status), observers: report.observers,
                dropped: report.dropped)
            continuation.resume(returning: .success(gathered))
        }
    }

    /// Ends a gathering that could not begin.
    func fail(_ error: PealError) { continuation.resume(returning: .failure(error)) }
}

/// Cancels a gathering with its task. The task may be cancelled before the gathering begins.
final class GatheringCancellation: Sendable {
    private let state = Mutex<(isCancelled: Bool, completion: peal_completion)>((false, peal_completion(id: 0)))

    func begin(_ completion: peal_completion) {
        let isCancelled = state.withLock { state in
            state.completion = completion
            return state.isCancelled
        }
        if isCancelled { _ = peal_completion_cancel(completion) }
    }

    func cancel() {
        let completion = state.withLock { state in
            state.isCancelled = true
            return state.completion
        }
        // Before the gathering begins the handle is zero, which C refuses.
        _ = peal_completion_cancel(completion)
    }
}

/// The outcome of a call of all observers, those on queues too. `struct peal_completion_info` in C.
public struct Gathered<Result: Sendable>: Sendable {
    /// The results, in the order of their arrival.
    public let results: [Result]
    /// ``Status/ok`` when all have answered or cannot; ``Status/timeout``.
    public let status: Status
    /// How many observers there were.
    public let observers: Int
    /// How many will not answer: they ended, or their queue was full.
    public let dropped: Int

    /// Throws if the task's cancellation has ended the gathering.
    func unlessCancelled() throws -> Gathered {
        if status == .state { throw CancellationError() }
        return self
    }
}
