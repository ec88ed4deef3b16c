internal import CPealSupport
import PealCall

/// What a lazy observation has besides: the service that it names, and the instance that observes for it.
///
/// The observation itself, the *place*, is in the lists and never called. An instance is an observation
/// without a handle, in the same lists right behind its place, which it keeps from ending.
final class LazyObserver: Sendable {
    let service: Service
    let functions: FunctionTables
    private let state = Guarded(State())

    private struct State {
        /// Of the place's handle; zero until there is one.
        var number: UInt64 = 0
        /// The place or the service has ended: no instance comes any more.
        var isEnded = false
        var instance: Observation?
        /// Instances that observe no more, but may still be called.
        var left: [Observation] = []
        /// How many instances the service has given up.
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

    /// All that may be called now, or still run.
    var instances: [Observation] { state.withLock { $0.left + ($0.instance.map { [$0] } ?? []) } }

    /// Takes note of the place, before anybody sees it.
    ///
    /// - Returns: False when the service has ended meanwhile.
    func begin(_ number: UInt64) -> Bool {
        state.withLock { state in
            if !state.isEnded { state.number = number }
            return !state.isEnded
        }
    }

    /// How many instances have left, for who is about to bring one; nil when none is wanted.
    var generationIfEmpty: Int? {
        state.withLock { $0.isEnded || $0.instance != nil ? nil : $0.instanceGeneration }
    }

    /// Publishes an instance, unless there is one, or none is wanted any more, or some have left since
    /// `instanceGeneration` was read: this may be one of them. Under the center's lock.
    ///
    /// - Returns: Whether it was published.
    func install(
        _ instance: Observation, at place: Observation, instanceGeneration: Int, _ changes: SnapshotTransactions
    ) -> Bool {
        state.withLock { state in
            guard !state.isEnded, state.instance == nil, state.instanceGeneration == instanceGeneration else { return false }
            instance.gate.pointee |= peal_gate_load(place.gate) & ObserverGate.blocks
            peal_observer_retain(place.record)
            changes.commit()
            state.instance = instance
            return true
        }
    }

    /// Changes the gate of the place, and that of its instance alike.
    func updateGates(of place: Observation, _ change: (UInt32) -> UInt32?) -> Bool {
        state.withLock { state in
            guard ObserverGate.update(place.gate, change) else { return false }
            if let instance = state.instance { ObserverGate.update(instance.gate, change) }
            return true
        }
    }

    /// Lets go of what has ended.
    func forgetFinished() {
        let finished = state.withLock { state in
            let index = state.left.partition { peal_observer_references($0.record) == 0 }
            defer { state.left.removeSubrange(index...) }
            return Array(state.left[index...])
        }
        withExtendedLifetime(finished) {}
    }

    // The end of the place, step by step.

    /// Calls of the instance that wait are delivered yet: it is drained by who ends the place.
    func beginDraining() {
        state.withLock { state in
            if let instance = state.instance { _ = ObserverGate.drain(instance.gate) }
        }
    }

    /// No call of an instance begins after this, unless it drains.
    func close() {
        state.withLock { state in
            state.isEnded = true
            if let instance = state.instance { _ = ObserverGate.remove(instance.gate) }
        }
    }

    /// Hands the instance out to be drained.
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
    func instanceLeaves(_ service: Service) {
        let leaving = state.withLock { state -> Observation? in
            state.instanceGeneration += 1
            // The next one may be here before this is told of the last.
            guard let instance = state.instance, !service.has(instance.record.extras?.pointee.use ?? 0) else { return nil }
            return state.takeInstance()
        }
        guard let leaving else { return }
        ObserverGate.endDraining(leaving.gate)
        leaving.unlist()
    }

    func serviceEnds(_ service: Service) {
        let number = state.withLock { state in
            state.isEnded = true
            return state.number
        }
        guard let place = Handles.observations.find(number), place.close() else { return }
        place.unlist()
    }
}

extension Service {
    /// Whether an instance is the one that is got now.
    fileprivate func has(_ instance: UInt64) -> Bool {
        readState { $0.instance?.number == instance }
    }
}
