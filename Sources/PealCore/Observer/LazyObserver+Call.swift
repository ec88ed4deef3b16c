internal import CPealSupport

extension LazyObserver {
    /// Calls the instance alone, and creates it first if there is none.
    func call(
        _ placeholder: Observation, for method: Method, _ call: (UnsafePointer<SnapshotEntry>) -> Void
    ) throws(Failure) {
        guard placeholder.methods.contains(where: { $0 === method }) else { throw .notListed(method) }
        guard peal_gate_load(placeholder.gate) & ObserverGate.blocks == 0 else { throw .blockedObserver }
        while true {
            try fill(placeholder)
            guard Handles.observations.find(placeholder.id) != nil else { throw .staleObservation }
            guard let instance else {
                throw Failure(
                    .state, "service \(service.name) is being created by this thread; call it after its creation")
            }
            do throws(Failure) {
                return try instance.call(for: method, call)
            } catch {
                // Another instance may have replaced one that was removed meanwhile.
                guard error.kind == .handle, Handles.observations.find(placeholder.id) != nil else { throw error }
            }
        }
    }
}
