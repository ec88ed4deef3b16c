internal import CPealSupport

/// Work that cannot be done on the thread that requested it, such as waiting for that thread's own call
/// to end. It is done on a thread of the executor.
final class DetachedWork: Sendable {
    private let work: @Sendable () -> Void
    // Used by the executor alone.
    private nonisolated(unsafe) let pending = UnsafeMutablePointer<peal_work>.allocate(capacity: 1)

    private init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
        pending.initialize(to: peal_work())
    }

    deinit {
        pending.deallocate()
    }

    static func run(_ work: @escaping @Sendable () -> Void) {
        var id: UInt64 = 0
        let work = try? Handles.detachedWork.insert {
            id = $0
            return DetachedWork(work)
        }
        guard let work else { return }
        let context = UnsafeMutableRawPointer(bitPattern: UInt(id))
        peal_executor_run(work.pending, { Handles.detachedWork.remove(UInt64(UInt(bitPattern: $0)))?.work() }, context)
    }
}
