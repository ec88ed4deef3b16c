internal import CPealSupport

/// Removes observers whose weak targets have died, while others register.
///
/// A broadcast removes the dead observers that it finds. A method that is never broadcast would collect them without a
/// limit. So a weak registration looks for dead targets when the number of the protocol's observers has doubled since
/// that was last done. The cost of a registration stays constant on average, and there are at most as many dead
/// observers as there were living ones, or `first`. Nothing is done for counted objects, which end their observers.
enum WeakSweep {
    /// The number of observers from which on a protocol is swept.
    static let first: Int32 = 64

    /// Call with no lock held: the hooks of weak targets run here, and the destroy callbacks of dead ones' observers.
    static func runIfDue(on proto: PealProtocol) {
        guard let probe = begin(on: proto) else { return }
        for id in probe.findDead() { _ = Observation.Removal.end(id) }
        _ = try? proto.center.withState { (_) throws(Failure) in
            proto.state.sweepCount = next(after: proto.registeredObservers.count)
        }
    }

    private static func next(after count: Int) -> Int32 { max(first, Int32(clamping: 2 * count)) }

    private static func begin(on proto: PealProtocol) -> WeakProbe? {
        let probe = try? proto.center.withState { (_) throws(Failure) -> WeakProbe? in
            let observers = proto.registeredObservers
            // Without memory for the probe, a later registration sweeps.
            guard observers.count >= proto.state.sweepCount, peal_reserve_prepare(64 * observers.count) else {
                return nil
            }
            // Other threads do not sweep meanwhile. In the child of a fork this thread is missing, and the next doubling
            // sweeps.
            proto.state.sweepCount = next(after: observers.count)
            return WeakProbe(observers.all.filter { !$0.isCounted })
        }
        return probe ?? nil
    }
}
