public import CPealSupport

// A file of its own, because the parser's fuzzer has only a lock without the functions that this one inlines.
extension Guarded {
    /// Runs `body` as `withLock` does, with the functions of the lock inlined, for the most frequent operations.
    @inlinable
    @inline(__always)
    public borrowing func withLockInline<Result, Mistake: Error>(
        _ body: (inout sending Value) throws(Mistake) -> sending Result
    ) throws(Mistake) -> sending Result {
        let lock = memory.assumingMemoryBound(to: peal_lock.self)
        peal_lock_acquire_inline(lock)
        defer { peal_lock_release_inline(lock) }
        return try body(&value.pointee)
    }
}
