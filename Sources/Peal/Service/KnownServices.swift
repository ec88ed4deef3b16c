public import CPeal
internal import Synchronization

/// The services that were found in a center by type or name, so that a get by these passes no text to C. Services found
/// by their types are in a table that is read without a lock.
///
/// A slot of the table belongs to one type permanently; its content changes. A registration may end, and another one use
/// its name: then the cached handle is refused, and the service is looked up again.
@usableFromInline
final class KnownServices: Sendable {
    /// The reference of a service, without its type.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let handle: peal_service
        /// The protocol that instances made in Swift provide.
        @usableFromInline let mark: peal_protocol
        /// As the member of ``ServiceProvider``.
        @usableFromInline let isOwn: Bool
    }

    private struct Slot: ~Copyable {
        let type = Atomic<UInt>(0)
        /// Stored after `mark`; zero where the type has no service now.
        let service = Atomic<UInt64>(0)
        let mark = Atomic<UInt64>(0)
    }

    /// The services that were found by a name, and those found by a type that are not in the table. Stores to the table
    /// are made under the same lock.
    private let names = Mutex<[String: Entry]>([:])

    /// The number of slots of the table.
    private static let length = 256
    /// The number of slots among which a type may have one.
    private static let maximumProbes = 8

    /// The pointer never changes, and each word of the slots is atomic.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.length)
        for index in 0..<Self.length { (slots + index).initialize(to: Slot()) }
    }

    deinit {
        slots.deinitialize(count: Self.length)
        slots.deallocate()
    }

    func find(named name: String) -> Entry? { names.withLock { $0[name] } }

    func find(_ type: Any.Type) -> Entry? {
        guard let slot = slot(of: Self.key(type)) else { return nil }
        let service = slot.pointee.service.load(ordering: .acquiring)
        guard service != 0 else { return nil }
        let mark = slot.pointee.mark.load(ordering: .relaxed)
        return Entry(handle: peal_service(id: service), mark: peal_protocol(id: mark), isOwn: true)
    }

    /// Stores a service that was found, or removes a stale one where `entry` is nil.
    func put(_ entry: Entry?, _ type: Any.Type, named name: String?) {
        names.withLock { names in
            let isInTable = name == nil && entry?.isOwn != false && store(entry, for: type)
            if entry == nil || !isInTable { names[name ?? TypeName.of(type)] = entry }
        }
    }

    /// Stores the service of a type, or none. The caller must hold the lock.
    ///
    /// - Returns: False where the type has no slot, and none is free.
    private func store(_ entry: Entry?, for type: Any.Type) -> Bool {
        let key = Self.key(type)
        guard let slot = slot(of: key) ?? slot(of: 0, from: key) else { return false }
        // The reader in `find` loads `service`, then `mark`. If it loads the old service and then the new mark, C
        // refuses the stale handle, and the caller searches again. A mark is never removed: without one, a service of
        // Swift would be taken for one of C.
        if let entry { slot.pointee.mark.store(entry.mark.id, ordering: .relaxed) }
        slot.pointee.service.store(entry?.handle.id ?? 0, ordering: .releasing)
        slot.pointee.type.store(key, ordering: .releasing)
        return true
    }

    /// The slot with a key, among the slots of the type `origin`, or of the key itself.
    private func slot(of key: UInt, from origin: UInt? = nil) -> UnsafeMutablePointer<Slot>? {
        let first = Int(truncatingIfNeeded: (((origin ?? key) &>> 4) &* 0x9e37_79b9_7f4a_7c15) &>> 32)
        for step in 0..<Self.maximumProbes {
            let slot = slots + ((first &+ step) & (Self.length &- 1))
            let found = slot.pointee.type.load(ordering: .acquiring)
            if found == key { return slot }
            // Slots are filled in this order, and are not freed.
            if found == 0 { return nil }
        }
        return nil
    }

    private static func key(_ type: Any.Type) -> UInt {
        UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
    }
}

extension KnownServices.Entry {
    init(_ handle: peal_service, in center: Center) {
        let anchor = ServiceTypes.find(handle)
        self.init(handle: handle, mark: anchor?.mark ?? SwiftMark.find(in: center.handle), isOwn: anchor != nil)
    }
}

extension Center {
    /// The service of a type or name, from the cache if possible.
    @usableFromInline
    func knownService(_ type: Any.Type, named name: String?) throws(PealError) -> KnownServices.Entry {
        if name == nil, let known = knownServices.find(type) { return known }
        let text = name ?? TypeName.of(type)
        if let known = knownServices.find(named: text) { return known }
        let entry = KnownServices.Entry(try find(text), in: self)
        // A service without a mark was not made in Swift, so the get fails.
        if entry.mark.id != 0 { knownServices.put(entry, type, named: name) }
        return entry
    }

    /// Calls a body with the service of a type or name, and once more where the cached handle was stale.
    @inlinable
    func withService<Instance: Sendable, Result>(
        _ type: Instance.Type, named name: String?, _ body: (ServiceProvider<Instance>) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        let known = try knownService(type, named: name)
        do throws(PealError) {
            return try body(ServiceProvider(known))
        } catch {
            guard error.status == .handle else { throw error }
            removeService(type, named: name)
            return try body(ServiceProvider(try knownService(type, named: name)))
        }
    }

    @usableFromInline
    func removeService(_ type: Any.Type, named name: String?) { knownServices.put(nil, type, named: name) }
}

extension ServiceProvider {
    @inlinable
    init(_ known: KnownServices.Entry) {
        handle = known.handle
        mark = known.mark
        isOwn = known.isOwn
    }
}
