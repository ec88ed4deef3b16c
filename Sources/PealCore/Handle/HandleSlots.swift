internal import CPealSupport

/// The slots of a handle table, see slot.h. They do not depend on the type of an object: one copy of their code serves
/// all tables, and a lookup from another module needs no type metadata.
///
/// No function takes a lock. A lookup pins a slot, retains its object and unpins it. A removal makes the id stale;
/// whichever thread releases the last pin removes the object from the slot and frees the slot.
struct HandleSlots: @unchecked Sendable {
    // Unchecked: the slots are atomic.
    typealias Object = any AnyObject & Sendable

    let slots: UnsafeMutablePointer<peal_slots>

    init(_ slots: UnsafeMutablePointer<peal_slots>) {
        self.slots = slots
    }

    /// Occupies a slot for the object that `make` returns.
    ///
    /// - Parameter limit: The sentence of the failure if all slots are taken.
    func insert(limit: StaticString, _ make: (UInt64) throws(Failure) -> Object) throws(Failure) -> Object {
        let id = try slots.take(limit: limit)
        do throws(Failure) {
            let object = try make(id)
            peal_slot_publish(slots, id, Self.retained(object))
            return object
        } catch {
            peal_slot_free(slots, id)
            throw error
        }
    }

    func find(_ id: UInt64, evenRetired: Bool) -> Object? {
        unpinned(peal_slot_pin(slots, id, evenRetired), id)
    }

    func has(_ id: UInt64) -> Bool { peal_slot_is_live(slots, id) }

    /// Runs `body` with a part of an object that is valid as long as the object is. The pin keeps the object meanwhile,
    /// so it need not be retained too. For short operations, because a pinned slot is not reused.
    @inline(__always)
    func withPinned<Part, Value, Error>(
        _ id: UInt64, _ part: (Object) -> Part, _ body: (Part) throws(Error) -> Value
    ) throws(Error) -> Value? {
        guard let slot = peal_slot_pin(slots, id, false) else { return nil }
        defer { if peal_slot_unpin(slot) { free(slot, id) } }
        return try body(part(Self.cell(of: slot).pointee))
    }

    /// The same with the address of the object.
    @inline(__always)
    func withPinned<Value, Error>(
        _ id: UInt64, _ body: (UnsafeMutableRawPointer) throws(Error) -> Value
    ) throws(Error) -> Value? {
        guard let slot = peal_slot_pin(slots, id, false) else { return nil }
        defer { if peal_slot_unpin(slot) { free(slot, id) } }
        return try body(peal_slot_object(slot).pointee.unsafelyUnwrapped)
    }

    /// Runs `body` with the address of an object that a hazard slot keeps meanwhile. A pin does so instead while the
    /// thread has no free hazard slot. The reclaimer must release the objects of the table.
    @inline(__always)
    func withProtected<Value, Error>(
        _ id: UInt64, _ body: (UnsafeMutableRawPointer) throws(Error) -> Value
    ) throws(Error) -> Value? {
        guard peal_id_tag(id) == slots.pointee.tag, let slot = peal_slot_at(slots, peal_id_index(id)) else {
            return nil
        }
        let hazard = peal_hazard_outermost() ?? peal_hazard_occupy()
        var isPinned = false
        defer { if let hazard { Broadcast.release(hazard) } else if isPinned, peal_slot_unpin(slot) { free(slot, id) } }
        // `body` is called in one place, where it is inlined.
        if let hazard {
            guard peal_hazard_protect_handle(hazard, slot, id) else { return nil }
        } else {
            guard peal_slot_pin(slots, id, false) != nil else { return nil }
            isPinned = true
        }
        return try body(peal_slot_object(slot).pointee.unsafelyUnwrapped)
    }

    /// The address by which a hazard slot protects the object of an id, whatever its state.
    func hazard(of id: UInt64) -> UnsafePointer<peal_snapshot>? {
        UnsafeRawPointer(peal_slot_at(slots, peal_id_index(id)))?.assumingMemoryBound(to: peal_snapshot.self)
    }

    func locked(_ id: UInt64) -> UnsafeMutableRawPointer? { peal_slot_locked_object(slots, id) }

    /// Pins an id for as long as the caller needs its object. The slot is not reused meanwhile.
    func pin(_ id: UInt64) -> UnsafeMutableRawPointer? {
        peal_slot_pin(slots, id, false).map { peal_slot_object($0).pointee.unsafelyUnwrapped }
    }

    func pinnedObject(_ id: UInt64) -> UnsafeMutableRawPointer {
        peal_slot_object(peal_slot_at(slots, peal_id_index(id)).unsafelyUnwrapped).pointee.unsafelyUnwrapped
    }

    func unpin(_ id: UInt64) {
        let slot = peal_slot_at(slots, peal_id_index(id)).unsafelyUnwrapped
        if peal_slot_unpin(slot) { free(slot, id) }
    }

    func retire(_ id: UInt64) -> Bool { peal_slot_retire_unpinned(slots, id) }

    var all: [Object] {
        (0..<peal_slots_end(slots)).compactMap { index in
            var id: UInt64 = 0
            let slot = peal_slot_pin_at(slots, index, &id)
            return unpinned(slot, id)
        }
    }

    /// Retains the object of a slot and releases the pin. The last pin of a removed id frees the slot.
    @inline(__always)
    func unpinned(_ slot: UnsafeMutablePointer<peal_slot>?, _ id: UInt64) -> Object? {
        guard let slot else { return nil }
        let object = Self.cell(of: slot).pointee
        if peal_slot_unpin(slot) { free(slot, id) }
        return object
    }

    /// The object continues to exist: the caller has retained it.
    @inline(never)
    private func free(_ slot: UnsafeMutablePointer<peal_slot>, _ id: UInt64) {
        Self.cell(of: slot).deinitialize(count: 1)
        peal_slot_free(slots, id)
    }

    private static func cell(of slot: UnsafeMutablePointer<peal_slot>) -> UnsafeMutablePointer<Object> {
        UnsafeMutableRawPointer(peal_slot_object(slot)).assumingMemoryBound(to: Object.self)
    }

    /// The object as a pointer that owns a reference to it.
    private static func retained(_ object: Object) -> UnsafeMutableRawPointer {
        withUnsafeTemporaryAllocation(of: Object.self, capacity: 1) { cell in
            cell.initializeElement(at: 0, to: object)
            return UnsafeRawPointer(cell.baseAddress.unsafelyUnwrapped).load(as: UnsafeMutableRawPointer.self)
        }
    }
}
