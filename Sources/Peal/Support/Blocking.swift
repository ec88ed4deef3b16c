internal import Glibc
internal import Synchronization

/// Runs blocking work for tasks on a thread of its own, since tasks share few threads.
enum Blocking {
    /// The work of a thread.
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs the work, and waits for its end.
    ///
    /// - Parameter cancelled: The outcome if the task is cancelled first. The work continues.
    static func run<Result: Sendable>(
        cancelled: @autoclosure () -> Swift.Result<Result, PealError> = .failure(.cancelled),
        _ body: @escaping @Sendable () throws(PealError) -> Result
    ) async throws(PealError) -> Result {
        let promise = Promise<Swift.Result<Result, PealError>>()
        let isStarted = start { promise.keep(Swift.Result { () throws(PealError) in try body() }) }
        guard isStarted else { throw noThread }
        let cancelled = cancelled()
        return try await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.keep(cancelled)
        }.get()
    }

    /// Runs the work as part of the task, so that functions that C calls from it have the task's local values and
    /// cancellation. Cancelling the task does not end the work.
    static func runInTask<Result: Sendable>(
        _ body: @Sendable () throws(PealError) -> Result
    ) async throws(PealError) -> Result {
        let executor = ThreadExecutor()
        return try await withTaskExecutorPreference(executor) { () async throws(PealError) -> Result in
            if executor.hasFailed { throw noThread }
            return try body()
        }
    }

    static let noThread = PealError(
        status: .limit, message: "the system could not start a thread; end threads that are not needed")

    /// Begins the work, and does not wait for it. Returns false where the system has no thread.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let pointer = Box.retain(Work(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Box.object(pointer, as: Work.self).body()
                Box.release(pointer)
                return nil
            }, pointer)
        guard status == 0 else {
            Box.release(pointer)
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// Runs each job on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
    private let failure = Atomic(false)

    /// True if the system had no thread. The job runs on the thread of its task then, and must not block.
    var hasFailed: Bool { failure.load(ordering: .acquiring) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if Blocking.start({ job.runSynchronously(on: self.asUnownedTaskExecutor()) }) { return }
        failure.store(true, ordering: .releasing)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Passes a value to the task that waits for it. The task may begin to wait before or after the value is stored.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case kept(Value)
    }

    private let state = Mutex(State.open)

    /// Stores the value, and resumes the task. The first value counts.
    func keep(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            if case .kept = state { return nil }
            defer { state = .kept(value) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }

    /// The stored value; `nil` before.
    var kept: Value? {
        state.withLock { if case .kept(let value) = $0 { value } else { nil } }
    }

    /// The stored value, now or later. Awaited once.
    nonisolated(nonsending) var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let kept = state.withLock { state -> Value? in
                    if case .kept(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let kept { continuation.resume(returning: kept) }
            }
        }
    }
}
