public import CPeal
internal import Synchronization

/// What observers answer by when they are done: a parameter of a method, `peal_completion` in C.
///
///     enum Push: PealProtocol {
///         static let onPush = Method<Void, String, Completion>("on_push", parameters: "payload", "done")
///         static let methods: [any MethodDeclaration] = [onPush]
///     }
///
/// An observer gets one of its own, keeps it as long as it likes, and answers once, from any thread or task:
///
///     let observation = try center.observe(Push.onPush) { payload, done in
///         Task { done.complete(with: await store(payload)) }
///     }
///
/// One that nobody keeps any more is dropped: its observer will not answer.
///
/// The broadcaster waits for all answers together, or gives a closure:
///
///     let answers = try await center.ask(Push.onPush, "news", within: .seconds(5))
///     try center.broadcast(Push.onPush, "news", Completion { answers in … })
public final class Completion: PealValue, Sendable {
    /// The completion in the C interface; zero where nobody waits for an answer.
    public let handle: peal_completion
    /// Who is told the end. `nil` for one that came with a call.
    private let target: CompletionTarget?
    /// Whether nobody else sees to its end.
    private let isOpen = Atomic(true)

    /// Makes a completion, for one broadcast.
    ///
    /// Its closure runs once: when all who were asked have answered, or were dropped, or the time has passed. With
    /// nobody to ask that is at once. One that is passed to no broadcast is dropped when nobody keeps it.
    ///
    /// - Parameters:
    ///   - policy: What becomes of the results: `last`, `sum`, `min`, `max`, `any` or `every`.
    ///   - limit: How long to wait, from now; `nil` for as long as it takes.
    ///   - queue: Where the closure runs; `nil`: on the thread that answered last. *Retained* until it has run.
    ///   - done: What is told the end. *Retained* until it has run.
    /// - Throws: ``Status/policy`` for another policy; ``Status/handle`` for a queue that has ended.
    ///
    /// Any thread. The C interface's `peal_completion_create`.
    public init(
        folding policy: Policy = .last, within limit: Duration? = nil, on queue: Queue? = nil,
        done: @escaping @Sendable (Answers) -> Void
    ) throws(PealError) {
        let target = CompletionTarget(on: queue, done)
        var options = peal_completion_options()
        options.size = MemoryLayout<peal_completion_options>.size
        options.done = CompletionTarget.done
        options.context = Box.retain(target)
        options.queue = queue?.handle ?? peal_queue()
        options.policy = policy.cValue
        options.timeout = Milliseconds.limit(limit)
        var made = peal_completion()
        let status = peal_completion_create(&options, &made)
        // Then it is never told.
        if status.rawValue < 0 { Box.release(options.context) }
        try PealError.check(status)
        handle = made
        self.target = target
    }

    /// Takes over an observer's own completion, as it comes with a call.
    ///
    /// - Parameter cValue: *owned* from now on: it is dropped with this object unless it is answered.
    public init(cValue: peal_completion) {
        handle = cValue
        target = nil
    }

    /// Asks for no answers: observers are called, and nobody waits.
    public static var unanswered: Completion { Completion(cValue: peal_completion()) }

    deinit {
        guard handle.number != 0, isOpen.load(ordering: .relaxed), target?.hasEnded != true else { return }
        let before = peal_last_status()
        let status = peal_completion_drop(handle)
        // One that was passed to a broadcast cannot be dropped. That is no failure of what this thread does.
        if status != PEAL_OK, before == PEAL_OK { peal_forget_failure() }
    }

    /// Whether somebody waits for the answer, or did when the call came.
    public var isAwaited: Bool { handle.number != 0 }

    /// Answers.
    ///
    /// - Parameter result: What the broadcaster's policy folds.
    /// - Returns: Whether it counts: `false` where nobody waits any more, and for a second answer. That harms nobody.
    ///
    /// Any thread. The C interface's `peal_complete`.
    @discardableResult
    public func complete(with result: Int64 = 0) -> Bool { end(peal_complete(handle, result)) }

    /// Says that there will be no answer.
    ///
    /// - Returns: As ``complete(with:)``.
    ///
    /// Any thread. The C interface's `peal_completion_drop`.
    @discardableResult
    public func drop() -> Bool { end(peal_completion_drop(handle)) }

    /// Ends a completion that this program has made: its closure gets ``Status/state`` and what has come so far.
    ///
    /// - Returns: Whether it had not ended; `false` for one that came with a call.
    ///
    /// Any thread. The C interface's `peal_completion_cancel`.
    @discardableResult
    public func cancel() -> Bool { peal_completion_cancel(handle) == PEAL_OK }

    private func end(_ status: peal_status) -> Bool {
        isOpen.store(false, ordering: .relaxed)
        return status == PEAL_OK
    }

    /// Leaves it to a call that comes later.
    public func wasDeferred() { isOpen.store(false, ordering: .relaxed) }
}

extension Completion {
    /// `peal_completion`.
    public static var cType: CType { CType("peal_completion") }

    /// The handle, which the broadcast borrows.
    public func cValue(in room: inout ArgumentRoom) -> peal_completion { handle }
}
