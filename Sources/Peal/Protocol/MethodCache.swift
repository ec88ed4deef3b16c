public import CPeal
public import Synchronization

/// The handles of a center for the methods of Swift's declarations, so that a broadcast looks up no name. It is read
/// without a lock.
@usableFromInline
final class MethodCache: Sendable {
    /// The entry of one method. `method` is zero before the first writer has stored it.
    ///
    /// A writer makes `version` odd, changes the other members and makes it even again. A reader that loads the same even
    /// version before and after the other members has loaded those of one entry. (A sequence lock.)
    @usableFromInline
    struct Slot: ~Copyable {
        @usableFromInline let method = Atomic<UInt64>(0)
        @usableFromInline let `protocol` = Atomic<UInt64>(0)
        @usableFromInline let policy = Atomic<UInt32>(0)
        @usableFromInline let version = Atomic<UInt32>(0)
        init() {}
    }

    /// The location of a method's slot, computed when the method is declared.
    @usableFromInline
    struct Location: Sendable {
        /// For methods past the limit, the chunk that is never made: they are looked up each time.
        @usableFromInline let chunk: Int
        /// In bytes.
        @usableFromInline let offset: Int

        init(serial: Int) {
            chunk = min(serial / chunkLength, chunkLimit)
            offset = serial % chunkLength * MemoryLayout<Slot>.stride
        }
    }

    private static let chunkLimit = 128
    private static let chunkLength = 128

    /// Chunks of slots, made when they are needed, and kept until the cache ends.
    // The pointer never changes, and each word that it leads to is atomic.
    @usableFromInline nonisolated(unsafe) let chunks: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        chunks = .allocate(capacity: Self.chunkLimit + 1)
        for index in 0...Self.chunkLimit { (chunks + index).initialize(to: Atomic(0)) }
    }

    deinit {
        for index in 0..<Self.chunkLimit {
            UnsafeMutablePointer<Slot>(bitPattern: chunks[index].load(ordering: .relaxed))?.deallocate()
        }
        chunks.deallocate()
    }

    /// The found entry, if any.
    @inlinable @inline(__always)
    func find(_ location: Location) -> ResolvedMethod? {
        guard let chunk = UnsafeMutableRawPointer(bitPattern: chunks[location.chunk].load(ordering: .acquiring)) else {
            return nil
        }
        let slot = (chunk + location.offset).assumingMemoryBound(to: Slot.self)
        let version = slot.pointee.version.load(ordering: .acquiring)
        let number = slot.pointee.method.load(ordering: .relaxed)
        guard number != 0, version & 1 == 0 else { return nil }
        let found = ResolvedMethod(
            method: peal_method(id: number),
            protocol: peal_protocol(id: slot.pointee.protocol.load(ordering: .relaxed)),
            policy: peal_policy(rawValue: slot.pointee.policy.load(ordering: .relaxed)))
        atomicMemoryFence(ordering: .acquiring)
        return slot.pointee.version.load(ordering: .relaxed) == version ? found : nil
    }

    /// Stores a resolved method in place of the previous one, unless another thread stores one now.
    func keep(_ found: ResolvedMethod, at location: Location) {
        guard location.chunk < Self.chunkLimit else { return }
        let slot = (UnsafeMutableRawPointer(chunk(location.chunk)) + location.offset).assumingMemoryBound(to: Slot.self)
        let version = slot.pointee.version.load(ordering: .relaxed)
        guard version & 1 == 0,
            slot.pointee.version.compareExchange(expected: version, desired: version &+ 1, ordering: .acquiring)
                .exchanged
        else { return }
        atomicMemoryFence(ordering: .releasing)
        slot.pointee.method.store(found.method.id, ordering: .relaxed)
        slot.pointee.protocol.store(found.protocol.id, ordering: .relaxed)
        slot.pointee.policy.store(found.policy.rawValue, ordering: .relaxed)
        slot.pointee.version.store(version &+ 2, ordering: .releasing)
    }

    private func chunk(_ index: Int) -> UnsafeMutablePointer<Slot> {
        if let chunk = UnsafeMutablePointer<Slot>(bitPattern: chunks[index].load(ordering: .acquiring)) { return chunk }
        let fresh = UnsafeMutablePointer<Slot>.allocate(capacity: Self.chunkLength)
        for slot in 0..<Self.chunkLength { (fresh + slot).initialize(to: Slot()) }
        let (exchanged, original) = chunks[index].compareExchange(
            expected: 0, desired: UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
        if exchanged { return fresh }
        fresh.deallocate()
        return UnsafeMutablePointer(bitPattern: original)!
    }
}

/// A method as it is in a center: found, and checked.
@usableFromInline
struct ResolvedMethod: Sendable {
    @usableFromInline let method: peal_method
    @usableFromInline let `protocol`: peal_protocol
    /// The policy of the center's definition.
    @usableFromInline let policy: peal_policy

    @inlinable
    init(method: peal_method, protocol: peal_protocol, policy: peal_policy) {
        self.method = method
        self.protocol = `protocol`
        self.policy = policy
    }
}

/// Small numbers for declarations of methods, by which caches find the methods. Equal declarations have one number,
/// however often they are made. Declarations of other types or options have others, because each of them is checked.
enum MethodSerials {
    private struct Key: Hashable {
        let declaration: ObjectIdentifier
        let text: String
    }

    private static let numbers = Mutex<[Key: Int]>([:])

    static func number(of declaration: any MethodDeclaration.Type, _ text: String) -> Int {
        let key = Key(declaration: ObjectIdentifier(declaration), text: text)
        return numbers.withLock { numbers in
            let number = numbers[key] ?? numbers.count
            numbers[key] = number
            return number
        }
    }
}
