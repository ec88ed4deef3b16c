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

    /// Marks as removed. False when it was already.
    static func remove(_ gate: UnsafeMutablePointer<UInt32>) -> Bool {
        update(gate) { $0 & removed == 0 ? $0 | removed : nil }
    }

    /// Whether an observer whose gate is not zero is to be called. One that is to be called ONCE is
    /// removed first, so that no other broadcast calls it too.
    @inline(never)
    static func admit(_ entry: UnsafePointer<SnapshotEntry>) -> Bool {
        let gate = entry.pointee.gate
        let claimed = update(gate) { value in
            value & (removed | blocks) == 0 && value & once != 0 ? value | removed : nil
        }
        if claimed {
            Handles.observations.remove(entry.pointee.record.pointee.number)?.unlist()
            return true
        }
        // It may have been unblocked since the caller looked.
        return peal_gate_load(gate) == 0
    }

    static let blocks = UInt32(PEAL_GATE_BLOCKS)
    static let once = UInt32(PEAL_GATE_ONCE)
    static let removed = UInt32(PEAL_GATE_REMOVED)
}
