internal import CPealSupport
import PealCall

/// The extra state of a lazy observation: the service that it names, and the instance that observes on its behalf.
///
/// The observation itself, the *placeholder*, is in the lists and never called. An instance is an observation without a
/// handle, in the same lists right after its placeholder, which it keeps from ending.
final class LazyObserver: Sendable {
    let service: Service
    let functions: FunctionTables
    private let state = Guarded(State())

    private struct State {
        /// The id of the placeholder; zero until there is one.
        var id: UInt64 = 0
        /// The placeholder or the service has ended: no instance follows.
        var isEnded = false
        var instance: Observation?
        /// Instances that no longer observe, but may still be called.
        var left: [Observation] = []
        /// The number of instances that the service has removed.
        var instanceGeneration = 0

        mutating func takeInstance() -> Observation? {
            guard let taken = instance.take() else { return nil }
            left.append(taken)
            return taken
        }
    }

    init(_ service: Service, functions: FunctionTables) {
        self.service = service
        self.functions = functions
    }

    var instance: Observation? { state.withLock { $0.instance } }

    /// All instances that may be called now, or whose calls still run.
    var instances: [Observation] { state.withLock { $0.left + ($0.instance.map { [$0] } ?? []) } }

    /// Stores the placeholder's id, before another thread can find the placeholder.
    ///
    /// - Returns: False if the service has ended meanwhile.
    func begin(_ id: UInt64) -> Bool {
        state.withLock { state in
            if !state.isEnded { state.id = id }
            return !state.isEnded
        }
    }

    /// The number of removed instances, for a thread that is about to install one; nil if none is wanted.
    var generationIfEmpty: Int? {
        state.withLock { $0.isEnded || $0.instance != nil ? nil : $0.instanceGeneration }
    }

    /// Publishes an instance. Does nothing if another instance is published, or if no instance is wanted any more. Does
    /// nothing either if an instance was removed after `instanceGeneration` was read, because this instance may be the
    /// removed one. The caller must hold the center's lock.
    ///
    /// - Returns: True if it was published.
    func install(
        _ instance: Observation, at placeholder: Observation, instanceGeneration: Int, _ changes: SnapshotTransactions
    ) -> Bool {
        state.withLock { state in
            guard !state.isEnded, state.instance == nil, state.instanceGeneration == instanceGeneration else {
                return false
            }
            instance.gate.pointee |= peal_gate_load(placeholder.gate) & ObserverGate.blocks
            peal_observer_retain(placeholder.record)
            changes.commit()
            state.instance = instance
            return true
        }
    }

    /// Changes the gates of the placeholder and its instance alike.
    func updateGates(of placeholder: Observation, _ change: (UInt32) -> UInt32?) -> Bool {
        state.withLock { state in
            guard ObserverGate.update(placeholder.gate, change) else { return false }
            if let instance = state.instance { ObserverGate.update(instance.gate, change) }
            return true
        }
    }

    /// Releases the instances that have ended.
    func releaseFinished() {
        let finished = state.withLock { state in
            let index = state.left.partition { peal_observer_references($0.record) == 0 }
            defer { state.left.removeSubrange(index...) }
            return Array(state.left[index...])
        }
        withExtendedLifetime(finished) {}
    }

    // The end of the placeholder, step by step.

    /// Marks the instance as draining, so that its waiting calls are delivered. The thread that ends the placeholder
    /// drains the instance.
    func beginDraining() {
        state.withLock { state in
            if let instance = state.instance { _ = ObserverGate.drain(instance.gate) }
        }
    }

    /// Accepts no instance any more. No call of the current instance begins afterwards, unless the instance drains.
    func close() {
        state.withLock { state in
            state.isEnded = true
            if let instance = state.instance { _ = ObserverGate.remove(instance.gate) }
        }
    }

    /// Removes and returns the instance, which the caller drains.
    func takeInstance() -> Observation? {
        state.withLock { $0.takeInstance() }
    }

    func end() {
        if let instance = takeInstance() {
            ObserverGate.endDraining(instance.gate)
            instance.unlist()
        }
        service.remove(self)
    }
}

extension LazyObserver: ServiceFollower {
    func instanceWillEnd(_ service: Service) {
        let leaving = state.withLock { state -> Observation? in
            state.instanceGeneration += 1
            // The next instance may be installed before this notification of the last one's removal.
            guard let instance = state.instance, !service.has(instance.record.rareExtras?.pointee.use ?? 0) else {
                return nil
            }
            return state.takeInstance()
        }
        guard let leaving else { return }
        ObserverGate.endDraining(leaving.gate)
        leaving.unlist()
    }

    func serviceDidEnd(_ service: Service) {
        let id = state.withLock { state in
            state.isEnded = true
            return state.id
        }
        guard let placeholder = Handles.observations.find(id), placeholder.close() else { return }
        placeholder.unlist()
    }
}

extension Service {
    /// Returns true if an instance is the service's current one.
    fileprivate func has(_ instance: UInt64) -> Bool {
        readState { $0.instance?.id == instance }
    }
}
