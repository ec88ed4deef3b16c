internal import CPeal
internal import Synchronization

/// The services that are named by types, in a table that is read without a lock.
///
/// A slot belongs to one type permanently; its content changes. Types without a slot are stored elsewhere.
final class ServicesByType: Sendable {
    private struct Slot: ~Copyable {
        let type = Atomic<UInt>(0)
        /// Stored after `mark`; zero where the type has no service now.
        let service = Atomic<UInt64>(0)
        let mark = Atomic<UInt64>(0)
    }

    private static let length = 256
    /// The number of slots among which a type may have one.
    private static let reach = 8

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

    func find(_ type: Any.Type) -> KnownServices.Entry? {
        let key = Self.key(type)
        guard let slot = slot(of: key) else { return nil }
        let service = slot.pointee.service.load(ordering: .acquiring)
        guard service != 0 else { return nil }
        let mark = slot.pointee.mark.load(ordering: .relaxed)
        return KnownServices.Entry(handle: peal_service(id: service), mark: peal_protocol(id: mark))
    }

    /// Stores the service of a type, or none. The caller must hold the lock of `KnownServices`.
    ///
    /// - Returns: False where the type has no slot, and none is free.
    func put(_ entry: KnownServices.Entry?, for type: Any.Type) -> Bool {
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
        for step in 0..<Self.reach {
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

/// The Swift types with which services were registered, for checks before there is an instance.
///
/// The instance itself is always checked too. So a mistake with a service of another copy of this module, which is
/// not listed here, is only reported later.
enum ServiceTypes {
    private struct Entry {
        let type: ObjectIdentifier
        let name: String
        let mark: peal_protocol
        let anchor = ServiceAnchor()
    }

    private static let types = Mutex<[UInt64: Entry]>([:])

    static func note<Instance>(_ type: Instance.Type, of service: peal_service, mark: peal_protocol) {
        let entry = Entry(type: ObjectIdentifier(type), name: TypeName.of(type), mark: mark)
        types.withLock { $0[service.id] = entry }
    }

    /// The protocol by which its instances are known.
    static func mark(of service: peal_service) -> peal_protocol? {
        types.withLock { $0[service.id]?.mark }
    }

    static func remove(_ service: UInt64) {
        types.withLock { _ = $0.removeValue(forKey: service) }
    }

    /// The name of the type with which a service was registered, where that is another one.
    static func otherName<Instance>(than type: Instance.Type, of service: peal_service) -> String? {
        let known = types.withLock { $0[service.id] }
        return known.flatMap { $0.type == ObjectIdentifier(type) ? nil : $0.name }
    }

    /// Represents the service among observing objects.
    static func anchor(of service: peal_service) throws(PealError) -> ServiceAnchor {
        if let anchor = types.withLock({ $0[service.id]?.anchor }) { return anchor }
        throw PealError(status: .handle, message: "the service's registration has ended; register it again")
    }

    static func isKnown(_ service: peal_service) -> Bool {
        types.withLock { $0[service.id] != nil }
    }
}
