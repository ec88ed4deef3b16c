internal import CPealSupport

extension LazyObserver {
    /// Calls the instance alone, which is created for that where there is none.
    func call(
        _ place: Observation, for method: Method, _ call: (UnsafePointer<SnapshotEntry>) -> Void
    ) throws(Failure) {
        guard place.methods.contains(where: { $0 === method }) else { throw .notListed(method) }
        guard peal_gate_load(place.gate) & ObserverGate.blocks == 0 else { throw .blockedObserver }
        try fill(place)
        if let instance { return try instance.call(for: method, call) }
        guard Handles.observations.find(place.number) != nil else { throw .staleObservation }
        throw Failure(
            .state, "service \(service.name) is being created by this very thread; call it when its creation is done")
    }
}
