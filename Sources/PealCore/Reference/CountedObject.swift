import Synchronization

/// A box in raw memory: an object with its counts. It stays where it is, so a raw pointer leads to it.
///
/// As in Rust's `Arc` and Swift's own side tables: all strong shares together own one weak one, so the
/// memory outlives the object's end.
struct CountedObject: ~Copyable {
    /// Zero once the object is dead, and for good.
    let shares: Atomic<UInt32>
    /// Who needs this memory.
    let owners: Atomic<Int>
    let object: UnsafeMutableRawPointer
    let destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    /// Of the handle.
    let number: UInt64
}
