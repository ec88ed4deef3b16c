internal import CPeal
internal import Synchronization

/// The services that are named by types, in a table that is read without a lock.
///
/// A slot belongs to one type permanently; its content changes. Types without a slot are stored elsewhere.
final class ServicesByType: Sendable {
    private struct Slot: ~Copyable {
        let type = Atomic<UInt>(0)
        /// Written after `mark`; zero where there is none any more.
        let service = Atomic<UInt64>(0)
        let mark = Atomic<UInt64>(0)
    }

    private static let length = 256
    /// How many places a type may have.
    private static let reach = 8

    /// Never written again, and each of its words is atomic.
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

    /// Keeps what a type leads to, or nothing. One thread at a time.
    ///
    /// - Returns: False where the type has no place, and gets none.
    func put(_ entry: KnownServices.Entry?, for type: Any.Type) -> Bool {
        let key = Self.key(type)
        guard let slot = slot(of: key) ?? slot(of: 0, from: key) else { return false }
        // A thread that reads the new mark with the old service is refused by C, and reads again. A mark is never
        // removed: without one, a service of Swift would be taken for one of C.
        if let entry { slot.pointee.mark.store(entry.mark.id, ordering: .relaxed) }
        slot.pointee.service.store(entry?.handle.id ?? 0, ordering: .releasing)
        slot.pointee.type.store(key, ordering: .releasing)
        return true
    }

    /// The place that has a key, among those of the type `origin`, or of the key itself.
    private func slot(of key: UInt, from origin: UInt? = nil) -> UnsafeMutablePointer<Slot>? {
        let first = Int(truncatingIfNeeded: ((origin ?? key) &>> 4) &* 0x9e37_79b9_7f4a_7c15 &>> 32)
        for step in 0..<Self.reach {
            let slot = slots + ((first &+ step) & (Self.length &- 1))
            let found = slot.pointee.type.load(ordering: .acquiring)
            if found == key { return slot }
            // Places are filled in this order, and are not freed.
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
