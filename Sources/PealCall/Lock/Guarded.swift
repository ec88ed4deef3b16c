internal import CPealSupport

/// A value behind a lock, see lock.h. The two lie together in one allocation, where waiters can sleep on the lock's word.
public struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    // Unchecked: the value is only reached under the lock.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage {
        var lock = peal_lock()
        var value: Value
    }

    public init(_ value: consuming sending Value) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(value: value))
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// Runs `body` under the lock. The body must not take the lock again, and runs no user code.
    public borrowing func withLock<Result, Mistake: Error>(
        _ body: (inout sending Value) throws(Mistake) -> sending Result
    ) throws(Mistake) -> sending Result {
        peal_lock_take(&storage.pointee.lock)
        defer { peal_lock_release(&storage.pointee.lock) }
        return try body(&storage.pointee.value)
    }
}
