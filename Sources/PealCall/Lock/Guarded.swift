public import CPealSupport

/// A value and its lock, see lock.h. The two are in one allocation, where waiters can sleep on the lock's word.
///
/// The functions are inlinable: called from another module, generic code would read type metadata at run time.
public struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    // Unchecked: the value is only reached under the lock.
    @usableFromInline let memory: UnsafeMutableRawPointer

    @inlinable public init(_ value: consuming sending Value) {
        memory = .allocate(
            byteCount: Self.valueOffset + MemoryLayout<Value>.size,
            alignment: max(MemoryLayout<peal_lock>.alignment, MemoryLayout<Value>.alignment))
        memory.initializeMemory(as: peal_lock.self, to: peal_lock())
        (memory + Self.valueOffset).initializeMemory(as: Value.self, to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        memory.deallocate()
    }

    /// Runs `body` under the lock. The body must not acquire the lock again, and runs no user code.
    @inlinable public borrowing func withLock<Result, Mistake: Error>(
        _ body: (inout sending Value) throws(Mistake) -> sending Result
    ) throws(Mistake) -> sending Result {
        let lock = memory.assumingMemoryBound(to: peal_lock.self)
        peal_lock_acquire(lock)
        defer { peal_lock_release(lock) }
        return try body(&value.pointee)
    }

    @inlinable var value: UnsafeMutablePointer<Value> {
        (memory + Self.valueOffset).assumingMemoryBound(to: Value.self)
    }

    @inlinable static var valueOffset: Int { max(MemoryLayout<peal_lock>.size, MemoryLayout<Value>.alignment) }
}

extension Guarded {
    /// Returns the value, which the first successful call makes. If `make` returns nil, the next call tries again.
    public borrowing func madeOnce<Made: Sendable>(_ make: () -> Made?) -> Made? where Value == Made? {
        withLock { made in
            if made == nil { made = make() }
            return made
        }
    }
}
