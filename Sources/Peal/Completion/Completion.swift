public import CPeal
internal import Synchronization

/// An observer's right to answer later: a parameter of a method, `peal_completion` in C.
///
///     enum Push: PealProtocol {
///         static let onPush = Method<Void, String, Completion>("on_push", parameters: "payload", "done")
///         static let methods: [any MethodDeclaration] = [onPush]
///     }
///
/// Each observer gets its own, keeps it for any time, and answers once, from any thread or task:
///
///     let observation = try center.observe(Push.onPush) { payload, done in
///         Task { done.complete(with: await store(payload)) }
///     }
///
/// A completion without a reference is dropped: its observer will not answer.
///
/// The broadcaster waits for all answers together, or passes a closure:
///
///     let answers = try await center.ask(Push.onPush, "news", timeout: .seconds(5))
///     try center.broadcast(Push.onPush, "news", Completion { answers in … })
public final class Completion: PealValue, Sendable {
    /// The completion in the C interface; zero where no caller waits for an answer.
    public let handle: peal_completion
    /// The closure of the end. `nil` for a completion that a call passed.
    private let target: CompletionTarget?
    /// True if this object must end it.
    private let isOpen = Atomic(true)

    /// Makes a completion, for one broadcast.
    ///
    /// The closure runs once: when all observers have answered or were dropped, or the limit has expired. Without
    /// observers the closure runs at once. A completion that is passed to no broadcast is dropped with its last
    /// reference.
    ///
    /// - Parameters:
    ///   - policy: The rule that makes one result: `last`, `sum`, `min`, `max`, `any` or `every`.
    ///   - timeout: How long to wait, from now; `nil` for no limit.
    ///   - queue: The queue of the closure; `nil`: on the thread of the last answer. *Retained* until it has run.
    ///   - done: Called at the end. *Retained* until it has run.
    /// - Throws: ``Status/policy`` for another policy; ``Status/handle`` for a queue that has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_completion_create`.
    public init(
        folding policy: Policy = .last, timeout: Duration? = nil, on queue: Queue? = nil,
        done: @escaping @Sendable (Answers) -> Void
    ) throws(PealError) {
        let target = CompletionTarget(on: queue, done)
        var options = peal_completion_options()
        options.size = MemoryLayout<peal_completion_options>.size
        options.done = CompletionTarget.done
        options.context = Box.retain(target)
        options.queue = queue?.handle ?? peal_queue()
        options.policy = policy.cValue
        options.timeout = Milliseconds.limit(timeout)
        var made = peal_completion()
        let status = peal_completion_create(&options, &made)
        // After a failure `done` is never called.
        if status.rawValue < 0 { Box.release(options.context) }
        try PealError.check(status)
        handle = made
        self.target = target
    }

    /// Takes ownership of an observer's own completion, which a call passes.
    ///
    /// - Parameter cValue: *owned* from now on: it is dropped with this object unless it is answered.
    public init(cValue: peal_completion) {
        handle = cValue
        target = nil
    }

    /// Requests no answers: observers are called, and no caller waits.
    public static var unanswered: Completion { Completion(cValue: peal_completion()) }

    deinit {
        guard handle.id != 0, isOpen.load(ordering: .relaxed), target?.hasEnded != true else { return }
        let before = peal_last_status()
        let status = peal_completion_release(handle)
        // A completion that was passed to a broadcast cannot be dropped. That is no failure of this thread.
        if status != PEAL_OK, before == PEAL_OK { peal_clear_failure() }
    }

    /// True if a caller waits for the answer, or did at the time of the call.
    public var isAwaited: Bool { handle.id != 0 }

    /// Answers.
    ///
    /// - Parameter result: A value for the broadcaster's policy.
    /// - Returns: True if it counts: `false` when no caller waits any more, and for a second answer, which is harmless.
    ///
    /// Thread rule: any thread. The C interface's `peal_complete`.
    @discardableResult
    public func complete(with result: Int64 = 0) -> Bool { end(peal_complete(handle, result)) }

    /// Drops the completion: there will be no answer.
    ///
    /// - Returns: As ``complete(with:)``.
    ///
    /// Thread rule: any thread. The C interface's `peal_completion_release`.
    @discardableResult
    public func release() -> Bool { end(peal_completion_release(handle)) }

    /// Ends a completion that this program has made: its closure gets ``Status/state`` and the answers so far.
    ///
    /// - Returns: True if it had not ended; `false` for one that a call passed.
    ///
    /// Thread rule: any thread. The C interface's `peal_completion_cancel`.
    @discardableResult
    public func cancel() -> Bool { peal_completion_cancel(handle) == PEAL_OK }

    private func end(_ status: peal_status) -> Bool {
        isOpen.store(false, ordering: .relaxed)
        return status == PEAL_OK
    }

    /// Marks the completion as passed to a later call, which ends it.
    public func wasDeferred() { isOpen.store(false, ordering: .relaxed) }
}

extension Completion {
    /// `peal_completion`.
    public static var cType: CType { CType("peal_completion") }

    /// The handle, which the broadcast borrows.
    public func cValue(in room: inout ArgumentRoom) -> peal_completion { handle }
}

/// The target of the C interface for the end of a completion. It is kept until then.
final class CompletionTarget: Sendable {
    /// Objects that are kept until the end.
    private struct Kept {
        let body: @Sendable (Answers) -> Void
        /// The queue of the call.
        let queue: Queue?
    }

    private let kept: Mutex<Kept?>

    init(on queue: Queue?, _ body: @escaping @Sendable (Answers) -> Void) {
        kept = Mutex(Kept(body: body, queue: queue))
    }

    var hasEnded: Bool { kept.withLock { $0 == nil } }

    static let done: peal_completion_done = { context, report in
        guard let context, let report else { return }
        Box.borrow(context, as: CompletionTarget.self) { target in
            let kept = target.kept.withLock { $0.take() }
            kept?.body(Answers(report.pointee))
        }
        Box.release(context)
    }
}

/// The outcome of all answers to a method with a completion. `struct peal_completion_info` in C.
public struct Answers: Hashable, Sendable {
    /// ``Status/ok`` when all have answered or were dropped; ``Status/timeout``; ``Status/state`` when the completion
    /// was cancelled.
    public let status: Status
    /// The results, folded by the completion's policy; `nil` when no observer has answered.
    public let result: Int64?
    /// How many observers there were.
    public let observers: Int
    /// How many answered.
    public let completed: Int
    /// How many were dropped, and will not answer.
    public let dropped: Int

    /// True if the time limit has passed before all had answered.
    public var isLate: Bool { status == .timeout }

    init(_ report: peal_completion_info) {
        status = Status(report.status)
        result = report.completed == 0 ? nil : report.result
        observers = report.observers
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
