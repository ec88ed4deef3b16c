internal import Glibc
internal import Synchronization

/// Work that blocks, for tasks: it has a thread of its own, since tasks share few.
enum Blocking {
    /// What a thread does, and who waits for it.
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(PealError) -> Result
    ) async throws(PealError) -> Result {
        let outcome: Swift.Result<Result, PealError> = await withCheckedContinuation { continuation in
            let work = Work {
                do throws(PealError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            let pointer = Box.retain(work)
            guard !start(pointer) else { return }
            Box.release(pointer)
            continuation.resume(
                returning: .failure(PealError(status: .limit, message: "the system has no thread for this: have fewer")))
        }
        return try outcome.get()
    }

    private static func start(_ pointer: UnsafeMutableRawPointer) -> Bool {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Box.object(pointer, as: Work.self).body()
                Box.release(pointer)
                return nil
            }, pointer)
        guard status == 0 else { return false }
        pthread_detach(thread)
        return true
    }
}
