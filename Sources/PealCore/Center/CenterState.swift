internal import CPealSupport
import PealCall

/// What changes of a center. Guarded by its lock.
struct CenterState {
    var isEnded = false
    var types = TypeScope()
    var protocolsByName: [String: PealProtocol] = [:]
    var protocols: [PealProtocol: ProtocolState] = [:]
    /// Of all observers so far.
    var registrations: UInt64 = 0
    var properties: [String: DefinedProperty] = [:]

    subscript(proto: PealProtocol) -> ProtocolState {
        get { protocols[proto, default: ProtocolState()] }
        _modify { yield &protocols[proto, default: ProtocolState()] }
    }

    /// What an ended center leaves to be let go of once its lock is released.
    struct Remains: Sendable {
        var observations: [Observation] = []

        func letGo() {
            Observation.letGo(observations)
            // Nothing of an ended center waits for the next collection.
            Reclaimer.collect()
        }
    }

    mutating func end() -> Remains {
        var remains = Remains()
        isEnded = true
        for defined in properties.values { defined.property.close() }
        properties = [:]
        for state in protocols.values {
            for observation in state.observations.values.joined() {
                // What another thread has closed is its to let go.
                if observation.close() { remains.observations.append(observation) }
            }
            for method in state.all { method.close() }
        }
        for proto in protocols.keys { Handles.protocols.remove(proto.number) }
        protocols = [:]
        protocolsByName = [:]
        for hooks in types.hooks.values { hooks.unregister() }
        types = TypeScope()
        return remains
    }
}
