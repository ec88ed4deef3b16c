internal import CPealSupport

/// Finds weak targets that have died.
///
/// The hooks that find out are user code. So a probe is made under the center's lock, where registrations cannot end,
/// and calls them after the lock is released. It has a reference to each record meanwhile.
struct WeakProbe: @unchecked Sendable {
    // Unchecked: the pointed-to memory changes atomically.
    private let records: [UnsafeMutablePointer<ObserverRecord>]

    /// Takes the weak records among these. The caller must hold the center's lock.
    init(_ records: some Sequence<UnsafeMutablePointer<ObserverRecord>>) {
        self.records = records.filter { $0.gate.pointee & ObserverGate.weak != 0 && !ObserverGate.isEnding($0.gate) }
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

    /// The number of observers that are alive, with the probed ones. Call once, with no lock held.
    func countLiving(of count: Int) -> Int { count - findDead().count }

    /// Retaining and releasing count as a call of the observer: a thread that waits for its calls waits for this one
    /// too.
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
