internal import CPealSupport

/// Finds weak targets that have died.
///
/// The retain hooks, which reveal a dead target, are user code. A probe is made under the center's lock, where
/// registrations cannot end. It retains each record, and calls the hooks after the lock is released.
struct WeakProbe: @unchecked Sendable {
    // Unchecked: the pointed-to memory changes atomically.
    private let records: [UnsafeMutablePointer<ObserverRecord>]

    /// Retains the weak records among these. The caller must hold the center's lock.
    init(_ records: some Sequence<UnsafeMutablePointer<ObserverRecord>>) {
        self.records = records.filter {
            ObserverGate.isWeak(peal_gate_load($0.gate)) && !ObserverGate.isEnding($0.gate)
        }
        for record in self.records { peal_observer_retain(record) }
    }

    /// Calls the hooks. Call once, with no lock held.
    ///
    /// - Returns: The handles of the observations whose target is dead.
    func findDead() -> Set<UInt64> {
        let dead = Set(records.filter(Self.isDead).map { $0.pointee.id })
        for record in records { ObserverLife.release(record) }
        return dead
    }

    /// The number of living observers among `count` observers, which include the probed ones. Call once, with no lock
    /// held.
    func countLiving(of count: Int) -> Int { count - findDead().count }

    /// Returns true if the target is dead or the observer is ending. The hooks count as a call of the observer, so a
    /// thread that waits for its calls also waits for the hooks.
    private static func isDead(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        guard let extras = record.extras, let retain = extras.pointee.retain, let hazard = peal_hazard_occupy() else {
            return false
        }
        defer { Broadcast.release(hazard) }
        // The current call is stored before the gate is loaded: see thread.h.
        peal_current_set(peal_hazard_current(hazard), record.gate)
        guard !ObserverGate.isEnding(record.gate), retain(extras.pointee.reference) else { return true }
        record.releaseTarget()
        return false
    }
}
