internal import CPealSupport

extension Observation {
    /// Calls the observer for a method, if it may be called now: it is neither removed nor blocked. A weak target is
    /// retained meanwhile. A ONCE observer is removed by this call. The method's list is protected, as by a broadcast.
    /// A thread that waits for the observer's calls waits for this one, and so does the destroy callback.
    func call(for method: Method, _ call: (UnsafePointer<SnapshotEntry>) -> Void) throws(Failure) {
        guard queue == nil else {
            throw Failure(.state, "the observer has a queue, and is called on it only; broadcast the invocation")
        }
        if let lazy { return try lazy.call(self, for: method, call) }
        let hazard = try protect(method)
        defer { release(hazard, of: method) }
        let list = Broadcast.list(hazard)
        let entries = UnsafeBufferPointer(start: peal_snapshot_entries(list), count: Int(peal_snapshot_count(list)))
        guard let index = entries.firstIndex(where: { $0.gate == gate }) else {
            if isRemoved { throw .staleObservation }
            throw .notListed(method)
        }
        let called = FrameReplay.eachEntry(peal_snapshot_entries(list) + index, 1, hazard) { entry in
            call(entry)
            return true
        }
        guard called == 0 else { return }
        if isRemoved { throw .staleObservation }
        throw .blockedObserver
    }

    private var isRemoved: Bool { peal_gate_load(gate) & ObserverGate.removed != 0 }

    private func protect(_ method: Method) throws(Failure) -> Broadcast.Hazard {
        let hazard: Broadcast.Hazard
        do throws(Broadcast.Outcome) {
            hazard = try Broadcast.protectSettled(method.id, nil, 0)
        } catch {
            throw BroadcastFailure.last(error) ?? .outOfMemory
        }
        guard peal_snapshot_method(Broadcast.list(hazard)) == method.id else {
            release(hazard, of: method)
            throw .staleObservation
        }
        return hazard
    }

    private func release(_ hazard: Broadcast.Hazard, of method: Method) {
        Broadcast.release(hazard)
        // If the observer has broadcast this method, and the method defers, the deferred calls wait for this call.
        if method.traits.defersRecursion, let thread = peal_thread_own_slot() {
            Deferral.runPending(of: method.id, on: thread)
        }
    }
}

extension Failure {
    static func notListed(_ method: Method) -> Failure {
        Failure(
            .conformance,
            "the observer is not listed under \(method.title): it is of another protocol, or its table lacks the method"
        )
    }
    static let blockedObserver = Failure(.state, "the observer is blocked; unblock it as often as it is blocked")
}
