import Dispatch

/// Lets a test wait until something has happened, on a thread or in a task. Opened once for each wait.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() {
        semaphore.signal()
        continuation.yield()
    }

    /// False when it did not happen in twenty seconds. For tests that are no tasks; it blocks.
    @available(*, noasync)
    func wait() -> Bool { semaphore.wait(timeout: .now() + 20) == .success }

    /// The same for tasks. It blocks no thread: tasks have few.
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

/// Waits until another thread or task has made a condition true and can open no latch. Suspends, and blocks no thread.
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
