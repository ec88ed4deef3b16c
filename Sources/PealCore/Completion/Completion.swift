internal import CPealSupport
import PealCall

/// Calls a function once: when all observers have answered or can no longer answer, or the time limit has expired.
public final class Completion: Sendable {
    public typealias Done = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Void
    public typealias Reply = @convention(c) (UnsafeMutableRawPointer?, UInt64, UnsafeRawPointer?) -> Void

    /// How a completion is made.
    public struct Options {
        public var done: Done
        /// Receives each result, if results are gathered.
        public var reply: Reply?
        public var context: UnsafeMutableRawPointer?
        /// The queue that runs both; nil: the thread that answers last runs them.
        public var queue: Queue?
        public var policy = BroadcastPolicy.last
        /// The time limit in milliseconds. The largest number is no limit.
        public var timeout = UInt32.max
        public var owner: Owner?
        /// For a gathering, as in a ``BroadcastRequest``.
        public var excepted: UInt64 = 0
        public var origin: UInt64 = 0
        /// The status in the report of each end.
        public var statusOfEnd: @Sendable (CompletionEnd) -> Int32

        public init(done: @escaping Done, statusOfEnd: @escaping @Sendable (CompletionEnd) -> Int32) {
            self.done = done
            self.statusOfEnd = statusOfEnd
        }
    }

    public let id: UInt64
    /// The monotonic time in nanoseconds at which the time limit expires; 0 without a limit.
    let deadline: UInt64
    private let state: Guarded<CompletionState>
    // Used by their contract alone: the functions may be called on any thread.
    private nonisolated(unsafe) let options: Options
    /// The queue item for `done`; made beforehand, so that enqueuing it cannot fail.
    private nonisolated(unsafe) let notice: UnsafeMutablePointer<CompletionNotice>
    /// The work that ends the completion when its time limit expires; nil without a limit. Used by the executor alone.
    private nonisolated(unsafe) let limit: UnsafeMutablePointer<peal_timed_work>?

    private init(
        id: UInt64, options: Options, notice: UnsafeMutablePointer<CompletionNotice>,
        limit: UnsafeMutablePointer<peal_timed_work>?
    ) {
        self.id = id
        self.options = options
        deadline = options.timeout == .max ? 0 : peal_clock_deadline(options.timeout)
        self.notice = notice
        self.limit = limit
        state = Guarded(CompletionState(policy: options.policy))
    }

    deinit {
        if let limit { peal_executor_cancel(limit) }
        peal_memory_free(limit)
        if !state.withLock({ $0.isNoticeSent }) { peal_memory_free(notice) }
    }

    /// - Parameters:
    ///   - isPassed: True if the completion belongs to a broadcast from the start: it cannot be answered itself.
    ///   - isNeeded: True if the end of an object requires it, so that its notice may use the reserve.
    public static func make(
        _ options: Options, isPassed: Bool = false, isNeeded: Bool = false
    ) throws(Failure) -> Completion {
        if options.timeout != .max { try Executor.start() }
        guard let notice = CompletionNotice.make(replySize: 0, isNeeded: isNeeded) else { throw .outOfMemory }
        let limit = options.timeout == .max ? nil : peal_memory_allocate(MemoryLayout<peal_timed_work>.size)
        guard options.timeout == .max || limit != nil else {
            peal_memory_free(notice)
            throw .outOfMemory
        }
        let completion: Completion
        do throws(Failure) {
            completion = try Handles.completions.insert { id in
                let completion = Completion(
                    id: id, options: options, notice: notice,
                    limit: limit?.assumingMemoryBound(to: peal_timed_work.self))
                return CompletionHandle(completion, .whole, id: id)
            }.completion
        } catch {
            peal_memory_free(notice)
            peal_memory_free(limit)
            throw error
        }
        notice.pointee.id = completion.id
        do throws(Failure) {
            try options.owner?.add(completion)
        } catch {
            Handles.completions.remove(completion.id)
            throw error
        }
        if isPassed { _ = completion.beginPassing() }
        completion.setLimit()
        return completion
    }

    /// The completion of an id; nil for the id of a token.
    static func find(_ id: UInt64) -> Completion? {
        guard let handle = Handles.completions.find(id), handle.isWhole else { return nil }
        return handle.completion
    }

    private func setLimit() {
        guard let limit else { return }
        let due = Int64(clamping: deadline)
        let context = UnsafeMutableRawPointer(bitPattern: UInt(id))
        peal_executor_run_at(limit, due, { Completion.find(UInt64(UInt(bitPattern: $0)))?.end(.timedOut) }, context)
    }

    // MARK: Passing to a broadcast

    /// The completion that a broadcast was given; nil for zero.
    static func pass(_ argument: UnsafeMutableRawPointer?) throws(Broadcast.Outcome) -> Completion? {
        let id = argument?.loadUnaligned(as: UInt64.self) ?? 0
        guard id != 0 else { return nil }
        guard let completion = find(id), completion.beginPassing() else { throw .staleCompletion }
        return completion
    }

    private func beginPassing() -> Bool { state.withLock { $0.beginPassing() } }

    /// Settles the broadcast's own share when all observers have been called.
    func endPassing() { settle { $0.endPassing() } }

    /// Counts the observers of a broadcast before the first of them is called.
    func expect(_ count: Int) { state.withLock { $0.expect(count) } }

    func reserve(_ count: Int) { state.withLock { $0.reserve(count) } }

    func dropReserved(_ count: Int) {
        guard count > 0 else { return }
        settle { $0.settle(.dropped, count: count) }
    }

    /// - Parameters:
    ///   - owner: The owner of the token's observer; 0: none.
    ///   - isReserved: True if the observer was already counted.
    /// - Returns: The id of a new token; 0 if no caller waits for its answer any more.
    func issueToken(for owner: UInt64, isReserved: Bool) -> UInt64 {
        if !isReserved { reserve(1) }
        return issue(.token, for: owner) ?? 0
    }

    /// The token of a call whose result is passed on later.
    ///
    /// - Returns: nil if memory is short, or no caller waits any more. The call then counts as dropped.
    func deferReply(from observation: UInt64, size: Int, for owner: UInt64, isReserved: Bool) -> UInt64? {
        if !isReserved { reserve(1) }
        return issue(.reply(from: observation, size: size), for: owner)
    }

    private func issue(_ role: CompletionHandle.Role, for owner: UInt64) -> UInt64? {
        guard let token = try? Handles.completions.insert({ CompletionHandle(self, role, id: $0, owner: owner) })
        else {
            dropReserved(1)
            return nil
        }
        Handles.owners.findEvenRetired(owner)?.add(token: token.id)
        if state.withLock({ $0.keep(token.id) }) { return token.id }
        Self.removeToken(token.id)
        return nil
    }

    /// Drops the tokens of an owner's observers when their code is about to be unloaded.
    static func drop(_ tokens: [UInt64]) {
        for token in tokens { try? answer(token, nil) }
    }

    /// Makes a token stale.
    ///
    /// - Returns: False if it was stale already.
    @discardableResult
    private static func removeToken(_ id: UInt64) -> Bool {
        guard let token = Handles.completions.remove(id) else { return false }
        Handles.owners.findEvenRetired(token.owner)?.remove(token: id)
        return true
    }

    // MARK: Answers

    /// Answers a token or a completion, or drops it.
    ///
    /// - Parameter result: The answer; nil: the token or completion is dropped.
    public static func answer(_ id: UInt64, _ result: Int64?) throws(Failure) {
        guard let handle = Handles.completions.find(id) else { throw .staleCompletion }
        let completion = handle.completion
        switch handle.role {
        case .reply where result != nil:
            throw Failure(.state, "the token is that of a call whose result comes later; answer it by peal_call_answer")
        case .token, .reply:
            guard removeToken(id) else { throw .staleCompletion }
            // The completion may have ended since the token was found. The answer then does not count.
            var isInTime = false
            completion.settle { state in
                isInTime = state.tokens.remove(id) != nil
                return state.settle(result.map { .answered($0) } ?? .dropped)
            }
            guard isInTime else { throw .staleCompletion }
        case .whole: try completion.answerWhole(result)
        }
    }

    private func answerWhole(_ result: Int64?) throws(Failure) {
        var isTaken = false
        settle { state in
            isTaken = state.beginPassing()
            guard isTaken else { return false }
            state.reserve(1)
            _ = state.settle(result.map { .answered($0) } ?? .dropped)
            return state.settle(.counted)
        }
        guard !isTaken else { return }
        throw isEnded
            ? .staleCompletion
            : Failure(
                .state,
                "the completion was passed to a broadcast, and only its observers answer it; each answers its own token"
            )
    }

    private var isEnded: Bool { state.withLock { $0.end != nil } }

    /// Passes on one observer's result.
    func reply(from observation: UInt64, _ result: UnsafeRawPointer, size: Int, isReserved: Bool) {
        if !isReserved { reserve(1) }
        guard options.reply != nil else { return settle { $0.settle(.counted, completed: 1) } }
        guard let mailbox = options.queue?.mailbox, let notice = CompletionNotice.make(replySize: size) else {
            return dropReserved(1)
        }
        notice.pointee.id = id
        notice.pointee.observation = observation
        notice.pointee.hasResult = size > 0
        notice.reply.copyMemory(from: result, byteCount: size)
        notice.pointee.task.run = { Completion.runReply($0) }
        mailbox.push(UnsafeMutableRawPointer(notice).assumingMemoryBound(to: peal_task.self))
        settle { $0.settle(.counted, completed: 1) }
    }

    /// Passes on the result of a call that was deferred.
    public static func answer(_ id: UInt64, _ result: UnsafeRawPointer, size: Int) throws(Failure) {
        guard let handle = Handles.completions.find(id) else { throw .staleCompletion }
        guard case .reply(let observation, let expected) = handle.role else {
            throw Failure(.state, "the token is not that of a deferred call; answer it by peal_complete")
        }
        guard size == expected else {
            throw Failure(.argument, "the method's result has \(expected) bytes, and the given one \(size)")
        }
        guard removeToken(id),
            handle.completion.state.withLock({ $0.tokens.remove(id) }) != nil
        else { throw .staleCompletion }
        handle.completion.reply(from: observation, result, size: size, isReserved: true)
    }

    /// Counts an observer without an answer.
    func countUnanswered(isReserved: Bool) {
        if !isReserved { reserve(1) }
        dropReserved(1)
    }

    public static func cancel(_ id: UInt64) throws(Failure) {
        guard let completion = find(id), completion.end(.cancelled) else { throw .staleCompletion }
    }

    // MARK: The end

    private func settle(_ change: (inout CompletionState) -> Bool) {
        // The last answer and the end are one change under the lock. No time limit or cancellation can separate them.
        let tokens = state.withLock { change(&$0) ? $0.end(.answered) : nil }
        if let tokens { finish(tokens) }
    }

    /// Ends the completion, if it has not ended: makes its tokens stale, and calls or enqueues `done`.
    @discardableResult
    private func end(_ end: CompletionEnd) -> Bool {
        guard let tokens = state.withLock({ $0.end(end) }) else { return false }
        finish(tokens)
        return true
    }

    private func finish(_ tokens: Set<UInt64>) {
        if let limit { peal_executor_cancel(limit) }
        for token in tokens { Self.removeToken(token) }
        guard let mailbox = options.queue?.mailbox else { return runDone() }
        state.withLock { $0.isNoticeSent = true }
        notice.pointee.task.run = { Completion.runNotice($0) }
        mailbox.push(UnsafeMutableRawPointer(notice).assumingMemoryBound(to: peal_task.self))
    }

    private static func runNotice(_ task: UnsafeMutablePointer<peal_task>) {
        let notice = UnsafeMutableRawPointer(task).assumingMemoryBound(to: CompletionNotice.self)
        find(notice.pointee.id)?.runDone()
        peal_memory_free(notice)
    }

    private static func runReply(_ task: UnsafeMutablePointer<peal_task>) {
        let notice = UnsafeMutableRawPointer(task).assumingMemoryBound(to: CompletionNotice.self)
        let thread = LiveThread.current
        if let completion = find(notice.pointee.id), let reply = completion.options.reply,
            completion.state.withLock({ $0.beginCall(on: thread) })
        {
            let result = notice.pointee.hasResult ? UnsafeRawPointer(notice.reply) : nil
            reply(completion.options.context, notice.pointee.observation, result)
            if completion.state.withLock({ $0.endCall(on: thread) }) { completion.runDone() }
        }
        peal_memory_free(notice)
    }

    private func runDone() {
        let thread = LiveThread.current
        guard var report = state.withLock({ $0.beginDone(on: thread, options.statusOfEnd) }) else { return }
        options.done(options.context, &report)
        _ = state.withLock { $0.endCall(on: thread) }
        leave()
    }

    /// Removes the completion without a call of `done`.
    func abandon() {
        state.withLock { $0.abandon() }
        leave()
    }

    /// Removes the completion from its table and its owner, once its functions are not called any more. The handle is
    /// removed first, so a thread that waited for the owner's end finds none of these functions.
    private func leave() {
        Handles.completions.remove(id)
        options.owner?.remove(self)
    }

    /// Ends the completion for its owner, whose code is about to be unloaded. `done` runs here, unless it has run. If a
    /// reply runs, that reply's thread runs `done` afterwards.
    func finish() {
        end(.cancelled)
        runDone()
    }

    /// The functions that the completion will call.
    var functions: (done: Done?, reply: Reply?) { (options.done, options.reply) }

    /// True if its functions are called by threads alone that a fork has left in the parent.
    var isLeftBehind: Bool { state.withLock { $0.isLeftBehind } }

    /// Returns true if `done` or a reply runs on this thread, which must therefore not wait for it.
    func isCalling(on thread: UInt) -> Bool {
        state.withLock { $0.isCalling(on: thread) }
    }
}

extension Failure {
    public static let staleCompletion = Failure(
        .handle,
        "the completion or token is invalid: zero, never created, answered already, or ended; answer each token once, within the time limit"
    )
}
