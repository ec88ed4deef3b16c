internal import CPeal
public import Peal
internal import Synchronization

/// A clock of the process whose time does not pass by itself. Timers, time limits and waits of peal follow it.
///
///     try await withManualClock { clock in
///         try startTheProgram()
///         try await clock.advance(by: .seconds(24 * 3600))
///     }
///
/// `clock.h` in C.
public struct ManualClock: Sendable {
    fileprivate init() {}

    /// Advances the clock, and makes all calls that become due, in the order of their times, on one thread, with all that
    /// they enqueue on serial queues.
    ///
    /// - Parameters:
    ///   - duration: How far. Zero makes the calls that are due already.
    ///   - timeout: How long the calls may take, by the system's clock.
    /// - Throws: ``/Peal/PealError``: `Status.timeout` when calls still run then; `Status.argument` for a negative
    ///   duration; `Status.state` after `withManualClock` has returned.
    ///
    /// Any task. The C interface's `peal_clock_advance`.
    public func advance(by duration: Duration, timeout: Duration = .seconds(10)) async throws(PealError) {
        let nanoseconds = duration.wholeNanoseconds
        guard nanoseconds >= 0 else {
            throw PealError(status: .argument, message: "the clock cannot go back; advance it by zero or more")
        }
        try await waiting { peal_clock_advance(UInt64(nanoseconds), timeout.milliseconds) }
    }

    /// Advances the clock to the next due time of a timer, a time limit or a wait.
    ///
    /// - Parameter timeout: How long the calls may take, by the system's clock.
    /// - Returns: False if no timer, time limit or wait is pending. A stopped timer may still count.
    /// - Throws: As ``advance(by:timeout:)``.
    ///
    /// Any task. The C interface's `peal_clock_get_info` and `peal_clock_advance`.
    @discardableResult
    public func advanceToNext(timeout: Duration = .seconds(10)) async throws(PealError) -> Bool {
        var info = peal_clock_info()
        info.size = MemoryLayout<peal_clock_info>.size
        try PealError.check(peal_clock_get_info(&info))
        guard info.next != .max else { return false }
        let step = info.next > info.now ? info.next - info.now : 0
        try await waiting { peal_clock_advance(step, timeout.milliseconds) }
        return true
    }
}

/// Runs a part of a test with a manual clock. The system's clock returns at the end.
///
/// The clock is that of the process. Only one task at a time has it, and another call waits. Do not nest calls: the inner one
/// never returns. Tests of other suites see the manual clock too, so run suites that use timers in another process.
///
/// - Parameters:
///   - isolation: The actor of the caller, on which the body runs.
///   - body: Starts the timers and waits of the test, advances the clock, and ends the timers and waits.
/// - Returns: The result of the body.
/// - Throws: The error of the body.
///
/// Any task. The C interface's `peal_clock_set_manual`.
public func withManualClock<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (ManualClock) async throws -> Result
) async rethrows -> Result {
    await ClockTurn.begin()
    peal_clock_set_manual(true)
    defer {
        peal_clock_set_manual(false)
        ClockTurn.end()
    }
    return try await body(ManualClock())
}

/// The right to use the manual clock, which one task has at a time.
private enum ClockTurn {
    private struct State {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())

    nonisolated(nonsending) static func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiters.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    static func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
