internal import CPealSupport

/// The handles of observers. Their slots have records and no objects: a registration and its removal need no object,
/// and an object is made for other callers. A slot keeps the memory of its record, or has the record itself. The handles
/// of timers are of the same kind: see `TimerHandles`.
public struct ObserverHandles: @unchecked Sendable {
    // Unchecked: the slots are atomic.
    private let slots: UnsafeMutablePointer<peal_slots>

    private static var limit: StaticString {
        "there are too many observations in the process; remove those that are not needed"
    }

    init(_ kind: peal_slot_kind) {
        slots = peal_slots_of(kind)
    }

    /// Takes a slot of an observation, which has memory for a record without extras. The caller fills the record and opens
    /// or frees it. Timers have slots of another kind.
    @inline(__always)
    func take() throws(Failure) -> (record: Observer, id: UInt64) {
        var id: UInt64 = 0
        if let slot = peal_slot_take_spare_observation(&id) { return (peal_observer_of_slot(slot), id) }
        return try takeSlow()
    }

    @inline(never)
    private func takeSlow() throws(Failure) -> (record: Observer, id: UInt64) {
        var id: UInt64 = 0
        var slot: UnsafeMutablePointer<peal_slot>?
        let outcome = peal_slot_take(slots, &slot, &id)
        guard outcome == PEAL_SLOT_ALLOCATED, let slot else { throw Self.failure(outcome, Self.limit) }
        return (peal_observer_of_slot(slot), id)
    }

    @inline(never)
    private static func failure(_ outcome: peal_slot_outcome, _ limit: StaticString) -> Failure {
        outcome == PEAL_SLOT_NO_MEMORY ? .outOfMemory : Failure(.limit, limit.description)
    }

    /// Frees the slot of a record that is in the slot, and whose last weak count was released.
    @inline(__always)
    func free(_ record: Observer) {
        peal_slot_free_in(slots, peal_observer_own_slot(record), record.pointee.id)
    }

    /// Makes the id of a record, unless it has one. Lookups find the record from now on.
    ///
    /// - Parameter limit: The sentence of the failure if all slots are taken.
    func open(_ record: Observer, limit: StaticString = Self.limit) throws(Failure) {
        if record.pointee.extras == UInt8(PEAL_EXTRAS_NONE) {
            openOwn(record)
        } else {
            peal_observer_retain_memory_unshared(record)
            try insert(record, limit)
        }
    }

    /// The same for a record without extras, which is in the slot of its id.
    @inline(__always)
    func openOwn(_ record: Observer) {
        peal_observer_retain_memory_unshared(record)
        peal_slot_publish_in(peal_observer_own_slot(record), record.pointee.id, record)
    }

    @inline(never)
    private func insert(_ record: Observer, _ limit: StaticString) throws(Failure) {
        let outcome = peal_slot_insert(slots, record, &record.pointee.id)
        guard outcome == PEAL_SLOT_ALLOCATED else {
            ObserverLife.releaseMemory(record)
            throw Self.failure(outcome, limit)
        }
    }

    public func find(_ id: UInt64) -> Observation? {
        observation(retained(id, evenRetired: false))
    }

    /// The same as `find`, but also finds an id that has been retired and not recycled yet.
    func findEvenRetired(_ id: UInt64) -> Observation? {
        observation(retained(id, evenRetired: true))
    }

    /// Makes an id stale. The slot keeps the record until the id is recycled.
    ///
    /// - Returns: False if the id was stale already.
    @discardableResult
    func retire(_ id: UInt64) -> Bool { peal_slot_retire_unpinned(slots, id) }

    /// Makes an id stale, as `retire`, and pins it. The slot keeps the record until the caller has released the pin.
    ///
    /// - Returns: The record; nil if the id was already stale.
    @inline(__always)
    func retirePinned(_ id: UInt64) -> Observer? {
        guard peal_id_tag(id) == slots.pointee.tag, let slot = existingSlot(at: peal_id_index(id)) else { return nil }
        peal_observer_prefetch(slot)
        return peal_slot_retire_in(slot, id) ? Self.record(of: slot) : nil
    }

    /// Releases the pin of a retired id.
    func unpin(_ id: UInt64) {
        guard let slot = peal_slot_at(slots, peal_id_index(id)) else { return }
        if peal_slot_unpin(slot) { free(slot, id) }
    }

    /// Removes the id of a registration that failed. A thread that has retired the id meanwhile releases its pin without
    /// ending the observer.
    func discard(_ record: Observer) {
        let id = record.pointee.id
        if let slot = peal_slot_remove(slots, id, false) {
            if peal_slot_has_last_pin(slot) || peal_slot_unpin(slot) { free(slot, id) }
        } else if let counts = recycle(id), counts > 0 {
            ObserverLife.releaseMemory(record, counts: counts)
        }
    }

    /// Ends a retired id. Exactly one of all callers succeeds.
    ///
    /// - Returns: The number of weak counts that the caller must release in place of the handle: 1, or 0 if a pin still
    ///   keeps it. Nil if the id is not that of an observer.
    func recycle(_ id: UInt64) -> UInt32? {
        guard let slot = peal_slot_remove(slots, id, true) else { return nil }
        guard peal_slot_has_last_pin(slot) || peal_slot_unpin(slot) else { return 0 }
        freeUnlessOfRecord(slot, id)
        return 1
    }

    /// Removes the retired id of a record that the reclaimer is about to end, if the reclaimer's pin is the only one. The
    /// caller must hold the reclaimer's lock.
    func tryRemovePinned(_ record: Observer) {
        guard peal_observer_references(record) == 1 else { return }
        peal_slot_try_remove_pinned(peal_observer_own_slot(record))
    }

    /// The same as `recycle` for the id of an observer without extras that the caller has pinned. Releases the pin. The
    /// slot is freed with the record, which is in it.
    func recyclePinned(_ record: Observer) -> UInt32 {
        peal_slot_remove_pinned(peal_observer_own_slot(record)) ? 1 : 0
    }

    /// Returns true if the id is not stale. Writes nothing, so concurrent tests do not contend.
    public func has(_ id: UInt64) -> Bool { peal_slot_is_live(slots, id) }

    /// Runs `body` with the record of an id, which the pin keeps meanwhile. For short operations, because a pinned
    /// slot is not reused.
    @inline(__always)
    func withPinned<Value, Mistake>(
        _ id: UInt64, _ body: (Observer) throws(Mistake) -> Value
    ) throws(Mistake) -> Value? {
        guard let slot = peal_slot_pin(slots, id, false) else { return nil }
        defer { if peal_slot_unpin(slot) { free(slot, id) } }
        return try body(Self.record(of: slot))
    }

    /// The record of the id that has a slot. The id must not be recycled meanwhile.
    @inline(__always)
    func record(at index: UInt32) -> Observer { Self.record(of: existingSlot(at: index).unsafelyUnwrapped) }

    /// The slot of an index of observers, if it exists.
    @inline(__always)
    private func existingSlot(at index: UInt32) -> UnsafeMutablePointer<peal_slot>? {
        peal_slot_at_sized(slots, index, MemoryLayout<peal_observer_slot>.size)
    }

    /// The record of an id that is not stale. The caller must hold a lock as for `peal_slot_locked_object`.
    @inline(__always)
    func locked(_ id: UInt64) -> Observer? {
        peal_slot_locked_object(slots, id)?.assumingMemoryBound(to: ObserverRecord.self)
    }

    /// All observations at this time, those of retired ids too.
    var all: [Observation] { allRetained.compactMap(observation) }

    /// The records of all ids at this time. The caller must release a weak count of each.
    var allRetained: [Observer] {
        (0..<peal_slots_end(slots)).compactMap { index in
            var id: UInt64 = 0
            let slot = Reclaimer.keeping { peal_slot_pin_at(slots, index, &id) }
            return owned(slot, id)
        }
    }

    /// The record of an id, with a weak count that the caller must release.
    func retained(_ id: UInt64, evenRetired: Bool) -> Observer? {
        // The reclaimer removes ids that it finds retired, under its lock.
        owned(evenRetired ? Reclaimer.keeping { peal_slot_pin(slots, id, true) } : peal_slot_pin(slots, id, false), id)
    }

    private func observation(_ record: Observer?) -> Observation? {
        guard let record else { return nil }
        defer { ObserverLife.releaseMemory(record) }
        return Observation(record)
    }

    /// The record of a pinned slot. A weak count replaces the pin.
    private func owned(_ slot: UnsafeMutablePointer<peal_slot>?, _ id: UInt64) -> Observer? {
        guard let slot else { return nil }
        let record = Self.record(of: slot)
        peal_observer_retain_memory(record)
        if peal_slot_unpin(slot) { free(slot, id) }
        return record
    }

    private func free(_ slot: UnsafeMutablePointer<peal_slot>, _ id: UInt64) {
        let record = Self.record(of: slot)
        freeUnlessOfRecord(slot, id)
        ObserverLife.releaseMemory(record)
    }

    /// Frees a slot whose last pin was released, unless its record is in it: that record's last weak count frees the slot.
    private func freeUnlessOfRecord(_ slot: UnsafeMutablePointer<peal_slot>, _ id: UInt64) {
        if Self.record(of: slot).pointee.extras != UInt8(PEAL_EXTRAS_NONE) { peal_slot_free(slots, id) }
    }

    private static func record(of slot: UnsafeMutablePointer<peal_slot>) -> Observer {
        peal_slot_object(slot).pointee.unsafelyUnwrapped.assumingMemoryBound(to: ObserverRecord.self)
    }
}
