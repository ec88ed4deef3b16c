internal import CPeal
internal import CPealTest
public import Peal

/// Queues that run on the thread of a test, a call at a time. A seed chooses the queue before each call, so the same seed
/// gives the same order.
///
///     @Test(arguments: 1...100 as ClosedRange<UInt64>)
///     func everybodyIsGreeted(seed: UInt64) throws {
///         let schedule = try Schedule(seed: seed)
///         try addGreeter("Ann", on: schedule.makeQueue())
///         try addGreeter("Bob", on: schedule.makeQueue())
///         try center.broadcast(Chat.onJoin, "Eve")
///         try schedule.run()
///         …
///     }
///
/// Each queue keeps its own order, as serial queues do. The queues end with the schedule. `peal_schedule` in C.
public final class Schedule {
    private let schedule: OpaquePointer

    /// Creates a schedule without queues.
    ///
    /// - Parameter seed: Decides the order of all calls.
    /// - Throws: ``/Peal/PealError`` with `Status.memory`.
    ///
    /// Thread rule: any thread. The C interface's `peal_schedule_create`.
    public init(seed: UInt64) throws(PealError) {
        var made: OpaquePointer?
        try PealError.check(peal_schedule_create(seed, &made))
        schedule = made.unsafelyUnwrapped
    }

    deinit { peal_schedule_destroy(schedule) }

    /// Creates a queue that the schedule runs. Pass it to the tested code where the program passes a serial queue.
    ///
    /// - Returns: The queue, which ends with the schedule.
    /// - Throws: ``/Peal/PealError``: `Status.memory`, `Status.limit`.
    ///
    /// One thread at a time uses a schedule. The C interface's `peal_schedule_add_queue`.
    public func makeQueue() throws(PealError) -> Queue {
        var queue = peal_queue()
        try PealError.check(peal_schedule_add_queue(schedule, nil, &queue))
        return Queue(borrowing: queue)
    }

    /// Runs calls until none waits, also calls that are enqueued meanwhile, and firings of timers that are due.
    ///
    /// - Parameter limit: The greatest number of calls; `nil` for no limit. Without a limit, two observers that notify each
    ///   other run forever.
    /// - Returns: The number of calls, and true if calls still wait.
    /// - Throws: ``/Peal/PealError`` for a limit of zero or below.
    ///
    /// One thread at a time uses a schedule. The C interface's `peal_schedule_run`.
    @discardableResult
    public func run(limit: Int? = nil) throws(PealError) -> (calls: Int, isWaiting: Bool) {
        if let limit, limit <= 0 {
            throw PealError(
                status: .argument,
                message: "a limit of \(limit) calls runs nothing; pass 1 or more, or nil for no limit")
        }
        var calls = 0
        let status = peal_schedule_run(schedule, limit ?? 0, &calls)
        try PealError.check(status)
        return (calls, status == PEAL_TRUNCATED)
    }
}
