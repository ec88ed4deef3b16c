internal import CPealSupport
internal import Synchronization

/// A value behind a lock: the standard library's mutex, which the thread sanitizer is told about.
///
/// The sanitizer does not see into the Swift runtime, so builds for it announce each hand-over of the
/// lock. In all other builds this is `Mutex` and nothing else.
public struct Guarded<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    #if PEAL_THREAD_SANITIZER
        // An address that stands for the lock; nothing is stored there.
        private nonisolated(unsafe) let sync = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    #endif

    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    public borrowing func withLock<Result, Mistake: Error>(
        _ body: (inout sending Value) throws(Mistake) -> sending Result
    ) throws(Mistake) -> sending Result {
        try mutex.withLock { (value) throws(Mistake) in
            #if PEAL_THREAD_SANITIZER
                peal_lock_taken(sync)
                defer { peal_lock_given(sync) }
            #endif
            return try body(&value)
        }
    }
}
