internal import CPealSupport

/// The counts of a completion. Guarded by its lock.
struct CompletionState {
    /// The outcome of one called observer.
    enum Settled { case answered(Int64), dropped, counted }

    let policy: BroadcastPolicy
    var tokens: Set<UInt64> = []
    /// True if the queue has the notice, and frees it.
    var isNoticeSent = false
    private(set) var end: CompletionEnd?
    /// The threads that run its functions now.
    private(set) var callers: [LiveThread] = []
    private var isPassed = false
    /// True if `done` must run as soon as no reply runs.
    private var isDoneWanted = false
    private var isDone = false
    /// Observers that are about to be called, already counted in `reservedCount` and `pending`.
    private var expected = 0
    /// The number of unsettled observers, plus one while the completion is being passed to a broadcast.
    private var pending = 0
    private var reservedCount = 0
    private var completed = 0
    private var dropped = 0
    private var result: Int64 = 0

    init(policy: BroadcastPolicy) {
        self.policy = policy
    }

    /// Returns false if the completion has been passed before, or has ended.
    mutating func beginPassing() -> Bool {
        guard !isPassed, end == nil else { return false }
        isPassed = true
        pending += 1
        return true
    }

    /// Counts observers that are about to be called, so that an end meanwhile reports all of them.
    mutating func expect(_ count: Int) {
        reserve(count)
        expected += count
    }

    mutating func reserve(_ count: Int) {
        let known = min(count, expected)
        expected -= known
        reservedCount += count - known
        pending += count - known
    }

    /// Settles the broadcast's own share. Observers that were expected and not called do not count.
    ///
    /// - Returns: True if all have answered.
    mutating func endPassing() -> Bool {
        reservedCount -= expected
        pending -= expected
        expected = 0
        return settle(.counted)
    }

    /// Stores a new token's id while its answer is waited for.
    ///
    /// - Returns: False when no caller waits any more.
    mutating func keep(_ token: UInt64) -> Bool {
        guard end == nil else { return false }
        tokens.insert(token)
        return true
    }

    /// - Returns: True if no observer is left to settle.
    mutating func settle(_ settled: Settled, count: Int = 1, completed more: Int = 0) -> Bool {
        guard end == nil else { return false }
        switch settled {
        case .answered(let value):
            fold(value)
            completed += 1
        case .dropped: dropped += count
        case .counted: completed += more
        }
        pending -= count
        return pending == 0
    }

    private mutating func fold(_ value: Int64) {
        switch policy {
        case .sum:
            let (sum, overflow) = result.addingReportingOverflow(value)
            result = overflow ? (value < 0 ? .min : .max) : sum
        case .min: result = completed == 0 ? value : min(result, value)
        case .max: result = completed == 0 ? value : max(result, value)
        case .any: result = result != 0 || value != 0 ? 1 : 0
        case .every: result = (completed == 0 || result != 0) && value != 0 ? 1 : 0
        default: result = value
        }
    }

    /// - Returns: The tokens that no caller waits for any more; nil when it has ended before.
    mutating func end(_ reason: CompletionEnd) -> Set<UInt64>? {
        guard end == nil else { return nil }
        end = reason
        defer { tokens = [] }
        return tokens
    }

    /// - Returns: The report; nil when `done` was called before, or while a reply runs: the thread of that reply
    ///   begins again.
    mutating func beginDone(on thread: LiveThread, _ statusOfEnd: (CompletionEnd) -> Int32) -> peal_completion_info? {
        guard let end, !isDone else { return nil }
        isDoneWanted = true
        guard isUncalled else { return nil }
        isDone = true
        callers.append(thread)
        return peal_completion_outcome(statusOfEnd(end), result, reservedCount, completed, dropped)
    }

    /// Returns true if a reply may still be passed on.
    mutating func beginCall(on thread: LiveThread) -> Bool {
        guard !isDoneWanted else { return false }
        callers.append(thread)
        return true
    }

    /// - Returns: True if `done` must run now.
    mutating func endCall(on thread: LiveThread) -> Bool {
        if let index = callers.lastIndex(of: thread) { callers.remove(at: index) }
        return isDoneWanted && !isDone && isUncalled
    }

    /// True if no function is called, or only by threads that a fork has left in the parent.
    private var isUncalled: Bool { callers.allSatisfy { $0.isLost } }

    /// True if a fork has left the thread in the parent that calls `done`, so nobody removes the completion.
    var isLeftBehind: Bool { isDone && !callers.isEmpty && isUncalled }

    func isCalling(on thread: UInt) -> Bool { callers.contains { $0.slot == thread && !$0.isLost } }

    mutating func abandon() {
        end = .cancelled
        isDoneWanted = true
        isDone = true
    }
}
