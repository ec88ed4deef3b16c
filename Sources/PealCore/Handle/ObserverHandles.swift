internal import CPealSupport

/// The handles of observers. Their slots have records and no objects: a registration and its removal need no object,
/// and other callers get one that is made for them. A slot keeps the memory of its record.
public struct ObserverHandles: Sendable {
    private static var slots: UnsafeMutablePointer<peal_slots> { peal_slots_of(PEAL_SLOTS_OBSERVATIONS) }

    /// Makes the number of a record, which lookups find from now on.
    func open(_ record: Observer) throws(Failure) {
        var number: UInt64 = 0
        switch peal_slot_take(Self.slots, &number) {
        case PEAL_SLOT_FULL:
            throw Failure(.limit, "there are too many observations in the process; remove those that are not needed")
        case PEAL_SLOT_NO_MEMORY: throw .outOfMemory
        default: break
        }
        record.pointee.number = number
        peal_observer_own_unshared(record)
        peal_slot_publish(Self.slots, number, record)
    }

    public func find(_ number: UInt64) -> Observation? {
        observation(owned(peal_slot_pin(Self.slots, number, false), number))
    }

    /// The same, but also finds a number that has been retired and not recycled yet.
    func findEvenRetired(_ number: UInt64) -> Observation? {
        observation(owned(peal_slot_pin(Self.slots, number, true), number))
    }

    /// Makes a number stale. The slot keeps the record until the number is recycled.
    ///
    /// - Returns: False if the number was stale already.
    @discardableResult
    func retire(_ number: UInt64) -> Bool { peal_slot_retire_unpinned(Self.slots, number) }

    /// Makes a number stale, as `retire`, and runs `body` with the record, whose slot is not reused meanwhile.
    ///
    /// - Returns: The result of `body`; false if the number was already stale.
    func retire(_ number: UInt64, _ body: (Observer) -> Bool) -> Bool {
        guard let slot = peal_slot_retire(Self.slots, number) else { return false }
        let record = Self.record(of: slot)
        peal_observer_prefetch(record)
        let isDone = body(record)
        release(slot, number)
        return isDone
    }

    /// Removes the number of a registration that failed.
    func remove(_ number: UInt64) { _ = released(peal_slot_remove(Self.slots, number, false), number) }

    /// Frees the slot of a retired number. Exactly one of all callers succeeds.
    @discardableResult
    func recycle(_ number: UInt64) -> Bool { released(peal_slot_remove(Self.slots, number, true), number) }

    /// Returns true if the number is not stale. Writes nothing, so concurrent tests do not contend.
    public func has(_ number: UInt64) -> Bool { peal_slot_is_live(Self.slots, number) }

    /// Runs `body` with the record of a number, which the pin keeps meanwhile. For short operations, because a pinned
    /// slot is not reused.
    @inline(__always)
    func withPinned<Value>(_ number: UInt64, _ body: (Observer) -> Value) -> Value? {
        guard let slot = peal_slot_pin(Self.slots, number, false) else { return nil }
        defer { if peal_slot_unpin(slot) { free(slot, number) } }
        return body(Self.record(of: slot))
    }

    /// All of this time, those of retired numbers too.
    var all: [Observation] {
        (0..<peal_slots_end(Self.slots)).compactMap { index in
            var number: UInt64 = 0
            let slot = peal_slot_pin_at(Self.slots, index, &number)
            return observation(owned(slot, number))
        }
    }

    private func observation(_ record: Observer?) -> Observation? {
        guard let record else { return nil }
        defer { ObserverLife.disown(record) }
        return Observation(record)
    }

    /// The record of a pinned slot. A weak count replaces the pin.
    private func owned(_ slot: UnsafeMutablePointer<peal_slot>?, _ number: UInt64) -> Observer? {
        guard let slot else { return nil }
        let record = Self.record(of: slot)
        peal_observer_own(record)
        if peal_slot_unpin(slot) { free(slot, number) }
        return record
    }

    private func released(_ slot: UnsafeMutablePointer<peal_slot>?, _ number: UInt64) -> Bool {
        guard let slot else { return false }
        release(slot, number)
        return true
    }

    /// Releases a pin that is likely the last one.
    private func release(_ slot: UnsafeMutablePointer<peal_slot>, _ number: UInt64) {
        if peal_slot_has_last_pin(slot) || peal_slot_unpin(slot) { free(slot, number) }
    }

    private func free(_ slot: UnsafeMutablePointer<peal_slot>, _ number: UInt64) {
        let record = Self.record(of: slot)
        peal_slot_free(Self.slots, number)
        ObserverLife.disown(record)
    }

    private static func record(of slot: UnsafeMutablePointer<peal_slot>) -> Observer {
        peal_slot_object(slot).pointee.unsafelyUnwrapped.assumingMemoryBound(to: ObserverRecord.self)
    }
}
