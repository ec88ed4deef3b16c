internal import CPealSupport

/// Objects by id. An id is never used twice, so a stale one finds nothing.
///
/// Each table has its tag in its ids, so an id of another table finds nothing either.
public struct HandleTable<Object: AnyObject & Sendable>: Sendable {
    let slots: HandleSlots
    private let limitSentence: StaticString

    init(_ slots: UnsafeMutablePointer<peal_slots>, limit: StaticString) {
        self.slots = HandleSlots(slots)
        limitSentence = limit
    }

    /// Takes an id for the object that `make` builds. No lookup finds the object before `make` has returned.
    func insert(_ make: (UInt64) throws(Failure) -> Object) throws(Failure) -> Object {
        try unsafeDowncast(slots.insert(limit: limitSentence, make), to: Object.self)
    }

    /// The same without a reference for the caller: the table has the only one. The caller must know that no thread
    /// removes the id meanwhile.
    func insertBorrowed(_ make: (UInt64) throws(Failure) -> Object) throws(Failure) -> Borrowed<Object> {
        let id = try slots.slots.take(limit: limitSentence)
        do throws(Failure) {
            // The reference is moved to raw memory, and its bits to the slot.
            let address = try withUnsafeTemporaryAllocation(of: Object.self, capacity: 1) { (cell) throws(Failure) in
                cell.initializeElement(at: 0, to: try make(id))
                return UnsafeRawPointer(cell.baseAddress.unsafelyUnwrapped).load(as: UnsafeMutableRawPointer.self)
            }
            peal_slot_publish(slots.slots, id, address)
            return Borrowed(at: address)
        } catch {
            peal_slot_free(slots.slots, id)
            throw error
        }
    }

    public func find(_ id: UInt64) -> Object? {
        typed(slots.find(id, evenRetired: false))
    }

    /// See `HandleSlots.withPinned`.
    @inline(__always)
    func withPinned<Part, Value, Error>(
        _ id: UInt64, _ part: (Object) -> Part, _ body: (Part) throws(Error) -> Value
    ) throws(Error) -> Value? {
        try slots.withPinned(id, { part(unsafeDowncast($0, to: Object.self)) }, body)
    }

    /// The same as `find`, but also finds an id that has been retired and not recycled yet.
    func findEvenRetired(_ id: UInt64) -> Object? {
        typed(slots.find(id, evenRetired: true))
    }

    /// Returns true if the id has the tag of the table. It may be stale.
    func isOfKind(_ id: UInt64) -> Bool { peal_id_tag(id) == slots.slots.pointee.tag }

    /// Runs `body` with the object, which the pin keeps meanwhile. The pin delays the reuse of the slot, and blocks no
    /// thread.
    ///
    /// - Returns: Nil if the id is stale.
    @inline(__always)
    func withBorrowed<Value, Mistake>(
        _ id: UInt64, _ body: (Borrowed<Object>) throws(Mistake) -> Value
    ) throws(Mistake) -> Value? {
        try slots.withPinned(id) { (address) throws(Mistake) in try body(Borrowed(at: address)) }
    }

    /// The object of an id, without a pin. Nil if the id is stale. The caller must hold a lock under which the id is
    /// removed.
    func locked(_ id: UInt64) -> Borrowed<Object>? { slots.locked(id).map { Borrowed(at: $0) } }

    /// The object of an id, which a pin keeps until `unpin`. Nil if the id is stale.
    func pin(_ id: UInt64) -> Borrowed<Object>? { slots.pin(id).map { Borrowed(at: $0) } }

    /// The object of an id that is pinned meanwhile, and may be stale.
    func pinnedObject(_ id: UInt64) -> Object { Borrowed(at: slots.pinnedObject(id)).object }

    func unpin(_ id: UInt64) { slots.unpin(id) }

    /// Returns true if the id is not stale. Writes nothing, so concurrent tests do not contend.
    public func has(_ id: UInt64) -> Bool { slots.has(id) }

    /// All objects at this time, those of retired ids too.
    var all: [Object] {
        slots.all.compactMap(typed)
    }

    /// Makes an id stale and returns its object, or nil if the id was stale already. Its slot may be taken
    /// again.
    @discardableResult
    func remove(_ id: UInt64) -> Object? {
        removed(id, isRetired: false)
    }

    /// Makes an id stale. The id keeps its object and its slot until it is recycled.
    ///
    /// - Returns: False if the id was already stale.
    @discardableResult
    func retire(_ id: UInt64) -> Bool { slots.retire(id) }

    /// Frees the slot of a retired id. Exactly one of all callers succeeds.
    ///
    /// - Returns: The object, which the table has released.
    @discardableResult
    func recycle(_ id: UInt64) -> Object? {
        removed(id, isRetired: true)
    }

    /// Removes an id, which must be retired if `isRetired` is true, and live if it is false.
    private func removed(_ id: UInt64, isRetired: Bool) -> Object? {
        guard let slot = peal_slot_remove(slots.slots, id, isRetired) else { return nil }
        guard peal_slot_has_last_pin(slot) else { return typed(slots.unpinned(slot, id)) }
        let object = UnsafeMutableRawPointer(peal_slot_object(slot)).assumingMemoryBound(to: Object.self).move()
        peal_slot_free(slots.slots, id)
        return object
    }

    /// Unchecked: only objects of the table's type are inserted.
    private func typed(_ object: (any AnyObject & Sendable)?) -> Object? {
        guard let object else { return nil }
        return unsafeDowncast(object, to: Object.self)
    }
}
