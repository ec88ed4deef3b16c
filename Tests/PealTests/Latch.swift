import Dispatch

/// Blocks a thread or suspends a task of a test until another one opens the latch. Each wait needs one opening.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() {
        semaphore.signal()
        continuation.yield()
    }

    /// Blocks until the latch is opened. Returns false after twenty seconds. For tests that are not tasks.
    @available(*, noasync)
    func wait() -> Bool { semaphore.wait(timeout: .now() + 20) == .success }

    /// Suspends the task until the latch is opened. Returns false after twenty seconds.
    func opened() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [stream] in
                for await _ in stream { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(20))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

/// Suspends the task until another thread or task, which cannot open a latch, has made a condition true.
/// - Returns: False if that takes more than twenty seconds.
func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async rethrows -> Bool {
    let limit = ContinuousClock.now + .seconds(20)
    while try !condition() {
        if ContinuousClock.now > limit { return false }
        await Task.yield()
    }
    return true
}

/// Repeats an operation with longer and longer time limits, until enough has happened before one expired. For tests of what
/// a limit leaves out: how much happens within a short one depends on the machine.
func withLongerLimits<Value>(
    isolation: isolated (any Actor)? = #isolation, _ operation: (Duration) async throws -> Value,
    until isEnough: (Value) -> Bool
) async rethrows -> Value {
    var limit = Duration.milliseconds(20)
    while true {
        let value = try await operation(limit)
        if isEnough(value) || limit > .seconds(5) { return value }
        limit *= 4
    }
}
