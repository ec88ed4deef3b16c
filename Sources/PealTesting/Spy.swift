public import Peal
internal import Synchronization

/// An observer of one method that records its calls, with their arguments as values of Swift.
///
///     let spy = try center.spy(on: Chat.onMessage)
///     startConversation()
///     let calls = try await spy.calls(2)
///     #expect(calls[0] == ("lobby", 3))
///
/// A task waits for calls without a sleep: the call that it waits for resumes it.
///
/// The spy is removed when its last reference is released. Swift may do so after the last use of the variable. In C, `peal_spy` records calls of a whole protocol: ``ProtocolSpy``.
public final class Spy<Call: Sendable>: Sendable {
    private let record = CallRecord<Call>()
    private let observation: ObserverToken

    fileprivate init(
        _ observe: (@escaping @Sendable (Call) -> Void) throws(PealError) -> ObserverToken
    ) throws(PealError) {
        let record = record
        observation = try observe { record.add($0) }
    }

    /// The recorded calls, in the order in which they were made.
    ///
    /// Thread rule: any thread.
    public var calls: [Call] { record.calls }

    /// The number of recorded calls.
    ///
    /// Thread rule: any thread.
    public var count: Int { record.calls.count }

    /// Waits until a number of calls have been recorded. Calls that are recorded already count.
    ///
    /// - Parameters:
    ///   - count: How many calls.
    ///   - timeout: How long to wait, by the system's clock.
    /// - Returns: All recorded calls, of which there may be more.
    /// - Throws: ``/Peal/PealError`` with `Status.timeout`; `CancellationError` when the task is cancelled.
    ///
    /// Any task.
    @discardableResult
    public func calls(_ count: Int, timeout: Duration = .seconds(10)) async throws -> [Call] {
        try await record.wait(for: count, timeout: timeout)
    }

    /// Removes the records. The spy continues to record, and counts from zero.
    ///
    /// Thread rule: any thread.
    public func clear() { record.clear() }

    /// Ends the observation. The records stay.
    ///
    /// Thread rule: any thread.
    public func cancel() { observation.cancel() }
}

extension Center {
    /// Records the calls of a method.
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - options: Options of the observer: a queue, a priority.
    /// - Returns: The spy, which is removed when its last reference is released.
    /// - Throws: As an observation of the method by a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func spy<Owner, each Parameter: PealParameter & Sendable>(
        on method: PealMethod<Owner, Void, repeat each Parameter>, _ options: ObserverOption...
    ) throws(PealError) -> Spy<(repeat each Parameter)> {
        try Spy { record throws(PealError) in
            try observe(method, options: options) { (argument: repeat each Parameter) in
                record((repeat each argument))
            }
        }
    }

    /// Records the calls of a method with a result, and answers each.
    ///
    ///     let spy = try center.spy(on: Chat.mayClose, returning: false)
    ///
    /// - Parameters:
    ///   - method: The method to observe.
    ///   - result: The result of each call. A policy uses it as that of any other observer.
    ///   - options: Options of the observer: a queue, a priority.
    /// - Returns: The spy, which observes until its last reference.
    /// - Throws: As an observation of the method by a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func spy<Owner, Result: PealAnswer, each Parameter: PealParameter & Sendable>(
        on method: PealMethod<Owner, Result, repeat each Parameter>, returning result: Result.Answer,
        _ options: ObserverOption...
    ) throws(PealError) -> Spy<(repeat each Parameter)> where Result.Answer: PealResult & Sendable {
        try Spy { record throws(PealError) in
            try observe(method, options: options) { (argument: repeat each Parameter) in
                record((repeat each argument))
                return result
            }
        }
    }
}

/// Recorded calls, and the tasks that wait for more.
final class CallRecord<Call: Sendable>: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<[Call], any Error>
    }

    private struct State {
        var calls: [Call] = []
        var waiters: [UInt64: Waiter] = [:]
        /// Waits that ended before their task was suspended.
        var ended: [UInt64: any Error] = [:]
        var lastWait: UInt64 = 0

        /// The calls, for use outside the lock. They are copied one by one, because the thread sanitizer does not see all
        /// counts of an array that a thread reads while another thread appends to its own copy.
        var copyOfCalls: [Call] { calls.map { $0 } }
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.copyOfCalls } }

    func add(_ call: Call) {
        let (resumed, calls) = state.withLock { state -> ([Waiter], [Call]) in
            state.calls.append(call)
            let count = state.calls.count
            let resumed = state.waiters.filter { $0.value.count <= count }
            for key in resumed.keys { state.waiters[key] = nil }
            return (Array(resumed.values), resumed.isEmpty ? [] : state.copyOfCalls)
        }
        for waiter in resumed { waiter.continuation.resume(returning: calls) }
    }

    func clear() { state.withLock { $0.calls = [] } }

    func wait(for count: Int, timeout: Duration) async throws -> [Call] {
        let wait = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        let alarm = Task {
            try await Task.sleep(for: timeout)
            let there = calls.count
            end(wait, PealError(status: .timeout, message: "the spy has recorded \(there) of \(count) calls in time"))
        }
        defer {
            alarm.cancel()
            state.withLock { _ = $0.ended.removeValue(forKey: wait) }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(wait, Waiter(count: count, continuation: continuation))
            }
        } onCancel: {
            end(wait, CancellationError())
        }
    }

    private func begin(_ wait: UInt64, _ waiter: Waiter) {
        let outcome = state.withLock { state -> Result<[Call], any Error>? in
            if state.calls.count >= waiter.count { return .success(state.copyOfCalls) }
            if let error = state.ended[wait] { return .failure(error) }
            state.waiters[wait] = waiter
            return nil
        }
        if let outcome { waiter.continuation.resume(with: outcome) }
    }

    private func end(_ wait: UInt64, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            let waiter = state.waiters.removeValue(forKey: wait)
            if waiter == nil { state.ended[wait] = error }
            return waiter
        }
        waiter?.continuation.resume(throwing: error)
    }
}
