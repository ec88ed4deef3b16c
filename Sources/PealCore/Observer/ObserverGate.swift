internal import CPealSupport

/// The one word that a broadcast looks at before each call. Zero: call. See snapshot.h for its bits.
enum ObserverGate {
    /// Changes the gate; `change` may be asked again when another thread was faster.
    ///
    /// - Returns: What `change` returned last, and whether it was carried out: nil refuses.
    @discardableResult
    static func update(
        _ gate: UnsafeMutablePointer<UInt32>, _ change: (UInt32) -> UInt32?
    ) -> Bool {
        var current = peal_gate_load(gate)
        while true {
            guard let next = change(current) else { return false }
            if peal_gate_exchange(gate, &current, next) { return true }
        }
    }

    /// Marks as removed. Of all who try to end an observer one succeeds.
    static func remove(_ gate: UnsafeMutablePointer<UInt32>) -> Bool {
        update(gate) { $0 & (removed | drains) == 0 ? $0 | removed : nil }
    }

    /// Marks as ending. The one who succeeds removes it later, by `endDraining`.
    static func drain(_ gate: UnsafeMutablePointer<UInt32>) -> Bool {
        update(gate) { $0 & (removed | drains) == 0 ? $0 | drains : nil }
    }

    /// Whether the observer has been removed, or is drained and then removed.
    static func isEnding(_ gate: UnsafePointer<UInt32>) -> Bool {
        peal_gate_load(gate) & (removed | drains) != 0
    }

    static func endDraining(_ gate: UnsafeMutablePointer<UInt32>) {
        update(gate) { $0 | removed }
    }

    /// Decides about an observer whose gate is not zero. A weak target is retained: `WeakHold.release` follows
    /// the call. One that is to be called ONCE is removed first, so that no other broadcast calls it too. In the
    /// place of one that was replaced its successor is called: the list that has this one lacks the other.
    ///
    /// - Parameter hold: The level of the call.
    /// - Returns: The entry to call, if any.
    @inline(never)
    static func admit(
        _ listed: UnsafePointer<SnapshotEntry>, _ hold: Broadcast.Hold
    ) -> UnsafePointer<SnapshotEntry>? {
        // Most are weak, and nothing else is special about them.
        guard peal_gate_load(listed.pointee.gate) == weak else { return admitSlow(listed, hold) }
        guard WeakHold.take(listed.pointee.record, hold) else {
            prune(listed.pointee.record)
            return nil
        }
        if _fastPath(peal_gate_load(listed.pointee.gate) & removed == 0) { return listed }
        // The hook that retains has removed it.
        WeakHold.release(hold)
        return admitSlow(listed, hold)
    }

    @inline(never)
    private static func admitSlow(
        _ listed: UnsafePointer<SnapshotEntry>, _ hold: Broadcast.Hold
    ) -> UnsafePointer<SnapshotEntry>? {
        var entry = listed
        while true {
            let gate = entry.pointee.gate
            let value = peal_gate_load(gate)
            if value == 0 { return entry }
            let record = entry.pointee.record
            if value & removed != 0 {
                guard let successor = peal_successor_entry(record, peal_hazard_method(hold)) else { return nil }
                entry = successor
                // Stored before the look at the gate: see thread.h.
                peal_current_set(peal_hazard_current(hold), entry.pointee.gate)
                continue
            }
            guard value & (lazy | blocks) == 0 else { return nil }
            if value & weak != 0, !WeakHold.take(record, hold) {
                prune(record)
                return nil
            }
            // The hook that retains may have removed it.
            let isCalled = peal_gate_load(gate) & removed == 0 && (value & once == 0 || claimOnce(record))
            if isCalled { return entry }
            WeakHold.release(hold)
            guard peal_gate_load(gate) & removed != 0 else { return nil }
        }
    }

    private static func claimOnce(_ record: Observer) -> Bool {
        let gate = record.gate
        if record.placeholder != nil, peal_gate_load(gate) & drains == 0 {
            // All instances of a service share the one call: the place decides who makes it.
            if let place = record.placeholder, place.close() {
                place.unlist()
                return true
            }
            // Who drains it sets its mark before the place is closed.
            guard peal_gate_load(gate) & drains != 0 else { return false }
        }
        var isDraining = false
        let claimed = update(gate) { value in
            isDraining = value & drains != 0
            return value & (removed | blocks) == 0 ? value | removed : nil
        }
        // Who drains it takes it out of the lists.
        if claimed, !isDraining {
            // A removal that was late may have retired the number.
            Handles.observations.retire(record.pointee.number)
            record.unlist()
        }
        return claimed
    }

    /// Removes an observer whose target is dead.
    @inline(never)
    private static func prune(_ record: UnsafeMutablePointer<ObserverRecord>) {
        // Timers and proxies end otherwise.
        guard record.pointee.tables != nil, record.close() else { return }
        record.unlist()
    }

    static let blocks = UInt32(PEAL_GATE_BLOCKS)
    static let lazy = UInt32(PEAL_GATE_LAZY)
    static let drains = UInt32(PEAL_GATE_DRAINS)
    static let weak = UInt32(PEAL_GATE_WEAK)
    static let once = UInt32(PEAL_GATE_ONCE)
    static let removed = UInt32(PEAL_GATE_REMOVED)
}
