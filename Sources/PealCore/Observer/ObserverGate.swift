internal import CPealSupport

/// The one word that a broadcast tests before each call. Zero: call. See snapshot.h for its bits.
enum ObserverGate {
    /// Changes the gate. `change` may be called again if another thread was faster.
    ///
    /// - Returns: True if the change was made; false if `change` returned nil.
    @discardableResult @inline(__always)
    static func update(
        _ gate: UnsafeMutablePointer<UInt32>, _ change: (UInt32) -> UInt32?
    ) -> Bool {
        while true {
            var current = peal_gate_load(gate)
            guard let next = change(current) else { return false }
            if peal_gate_exchange(gate, &current, next) { return true }
            peal_back_off()
        }
    }

    /// Marks the observer as removed. Only one of the threads that try to end an observer succeeds.
    @inline(__always)
    static func remove(_ gate: UnsafeMutablePointer<UInt32>) -> Bool {
        update(gate) { $0 & (removed | drains) == 0 ? $0 | removed : nil }
    }

    /// Marks the observer as draining. The thread that succeeds removes the observer later, by `endDraining`.
    static func drain(_ gate: UnsafeMutablePointer<UInt32>) -> Bool {
        update(gate) { $0 & (removed | drains) == 0 ? $0 | drains : nil }
    }

    /// Returns true if the observer has been removed, or is being drained and then removed.
    static func isEnding(_ gate: UnsafePointer<UInt32>) -> Bool {
        peal_gate_load(gate) & (removed | drains) != 0
    }

    /// Returns true for the gate of a placeholder.
    @inline(__always)
    static func isLazy(_ value: UInt32) -> Bool { value & lazy != 0 }

    /// Returns true if the target must be retained during a call, by the hooks or by the observer's functions.
    @inline(__always)
    static func isWeak(_ value: UInt32) -> Bool { value & (weak | retains) != 0 }

    static func endDraining(_ gate: UnsafeMutablePointer<UInt32>) {
        update(gate) { $0 | removed }
    }

    /// Decides about an observer whose gate is not zero. A weak target is retained: `WeakHold.release` follows the
    /// call. A ONCE observer is removed first, so that no other broadcast calls it too. For a replaced observer, the
    /// entry of its successor is returned. The successor is in no list with the replaced observer.
    ///
    /// - Parameter hazard: The hazard slot of the call.
    /// - Returns: The entry to call, if any.
    @inline(never)
    @_optimize(speed)
    static func admit(
        _ listed: UnsafePointer<SnapshotEntry>, _ hazard: Broadcast.Hazard
    ) -> UnsafePointer<SnapshotEntry>? {
        admit(listed, hazard) { WeakHold.take($0, $1) }
    }

    /// The same for a loop of the library, which releases each target before it admits another observer.
    @inline(__always)
    static func admitInLibrary(
        _ listed: UnsafePointer<SnapshotEntry>, _ hazard: Broadcast.Hazard
    ) -> UnsafePointer<SnapshotEntry>? {
        admit(listed, hazard) { WeakHold.takeInLibrary($0, $1) }
    }

    @inline(__always)
    private static func admit(
        _ listed: UnsafePointer<SnapshotEntry>, _ hazard: Broadcast.Hazard, _ take: (Observer, Broadcast.Hazard) -> Bool
    ) -> UnsafePointer<SnapshotEntry>? {
        let gate = listed.pointee.gate
        // Most observers whose gate is not zero are only weak.
        let value = peal_gate_load(gate)
        guard value == weak || value == retains else { return admitSlow(listed, hazard) }
        let record = peal_observer_of_gate(gate)
        guard _fastPath(take(record, hazard)) else {
            prune(record)
            return nil
        }
        if _fastPath(peal_gate_load(gate) & removed == 0) { return listed }
        // The retain hook has removed the observer.
        WeakHold.release(hazard)
        return admitSlow(listed, hazard)
    }

    @inline(never)
    private static func admitSlow(
        _ listed: UnsafePointer<SnapshotEntry>, _ hazard: Broadcast.Hazard
    ) -> UnsafePointer<SnapshotEntry>? {
        var entry = listed
        while true {
            let gate = entry.pointee.gate
            let value = peal_gate_load(gate)
            if value == 0 { return entry }
            let record = entry.pointee.record
            if value & awaited != 0 {
                update(record.gate) { $0 & awaited != 0 ? $0 & ~awaited : nil }
                RunningCalls.signal()
                continue
            }
            if value & removed != 0 {
                guard let successor = peal_successor_entry(record, peal_hazard_method(hazard)) else { return nil }
                entry = successor
                // The current call is stored before the gate is loaded: see thread.h.
                peal_current_set(peal_hazard_current(hazard), entry.pointee.gate)
                continue
            }
            guard value & blocks == 0, !isLazy(value) else { return nil }
            if isWeak(value), !WeakHold.take(record, hazard) {
                prune(record)
                return nil
            }
            // The retain hook may have removed the observer.
            let isCalled = peal_gate_load(gate) & removed == 0 && (value & once == 0 || claimOnce(record))
            if isCalled { return entry }
            WeakHold.release(hazard)
            guard peal_gate_load(gate) & removed != 0 else { return nil }
        }
    }

    private static func claimOnce(_ record: Observer) -> Bool {
        let gate = record.gate
        if record.placeholder != nil, peal_gate_load(gate) & drains == 0 {
            // All instances of a service share the one call: the placeholder's gate decides which thread makes it.
            if let placeholder = record.placeholder, placeholder.close() {
                placeholder.unlist()
                return true
            }
            // The draining thread marks the instance before it closes the placeholder, and this thread loads the mark
            // after it found the placeholder closed.
            guard peal_gate_load(gate) & drains != 0 else { return false }
        }
        var isDraining = false
        let claimed = update(gate) { value in
            isDraining = value & drains != 0
            return value & (removed | blocks) == 0 ? value | removed : nil
        }
        // The draining thread removes a draining observer from the lists.
        if claimed, !isDraining {
            // A removal that lost the race for the gate may have retired the id.
            Handles.observations.retire(record.pointee.id)
            record.unlist()
        }
        return claimed
    }

    /// Removes an observer whose target is dead.
    @inline(never)
    static func prune(_ record: UnsafeMutablePointer<ObserverRecord>) {
        // Timers and targets of proxies have no tables, and end differently.
        guard !peal_observer_is_timer(record), record.pointee.tables != nil, record.close() else { return }
        record.unlist()
    }

    static let blocks = UInt32(PEAL_GATE_BLOCKS)
    static let awaited = UInt32(PEAL_GATE_AWAITED)
    static let lazy = UInt32(PEAL_GATE_LAZY)
    static let drains = UInt32(PEAL_GATE_DRAINS)
    static let weak = UInt32(PEAL_GATE_WEAK)
    static let retains = UInt32(PEAL_GATE_RETAINS)
    static let once = UInt32(PEAL_GATE_ONCE)
    static let removed = UInt32(PEAL_GATE_REMOVED)
}
