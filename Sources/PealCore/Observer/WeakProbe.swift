internal import CPealSupport

/// Finds weak targets that have died.
///
/// The hooks that answer are user code. So a probe is made under the center's lock, where registrations cannot
/// end, and asks after the lock is released. It has a reference to each record meanwhile.
struct WeakProbe: @unchecked Sendable {
    // Unchecked: what changes behind the pointers is atomic.
    private let records: [UnsafeMutablePointer<ObserverRecord>]

    /// Takes the weak ones among the records. The caller must hold the center's lock.
    init(_ records: some Sequence<UnsafeMutablePointer<ObserverRecord>>) {
        self.records = records.filter { $0.gate.pointee & ObserverGate.weak != 0 && !ObserverGate.isEnding($0.gate) }
        for record in self.records { peal_observer_retain(record) }
    }

    /// Calls the hooks. Call once, with no lock held.
    ///
    /// - Returns: The handles of the observations whose target is dead.
    func findDead() -> Set<UInt64> {
        let dead = Set(records.filter(Self.isDead).map { $0.pointee.number })
        for record in records { ObserverLife.release(record) }
        return dead
    }

    /// How many of some observers live, the probed ones among them. Call once, with no lock held.
    func countLiving(of count: Int) -> Int { count - findDead().count }

    /// To retain and to release counts as a call of the observer: a thread that waits for its calls waits for this
    /// one too.
    private static func isDead(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        guard let extras = record.extras, let retain = extras.pointee.retain, let hold = peal_hazard_occupy() else { return false }
        defer { Broadcast.release(hold) }
        // Stored before the look at the gate: see thread.h.
        peal_current_set(peal_hazard_current(hold), record.gate)
        guard !ObserverGate.isEnding(record.gate), retain(extras.pointee.reference) else { return true }
        record.releaseTarget()
        return false
    }
}
