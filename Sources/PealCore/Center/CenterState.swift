internal import CPealSupport
import PealCall

/// The changing state of a center. Guarded by its lock.
struct CenterState {
    var isEnded = false
    var types = TypeScope()
    var protocolsByName: [String: PealProtocol] = [:]
    var protocols: Set<PealProtocol> = []
    /// The number of all registrations so far.
    var registrations: UInt64 = 0
    var properties: [String: DefinedProperty] = [:]

    subscript(proto: PealProtocol) -> ProtocolState { proto.state }

    /// The observers of an ended center or protocol, which are released once the center's lock is released.
    struct Remains: @unchecked Sendable {
        // Unchecked: the caller ends each observer.
        var observers: [Observer] = []

        func finishRemoval() {
            Observer.finishRemoval(observers)
            // Nothing of an ended center waits for the next collection.
            Reclaimer.collect()
        }
    }

    mutating func end() -> Remains {
        var remains = Remains()
        isEnded = true
        for defined in properties.values { defined.property.close() }
        properties = [:]
        for state in protocols.map({ self[$0] }) {
            // An observer that another thread has closed is released by that thread.
            remains.observers += state.observers.all.filter { $0.close() }
            for method in state.all { method.close() }
            state.end()
        }
        for proto in protocols { Handles.protocols.remove(proto.id) }
        protocols = []
        protocolsByName = [:]
        for hooks in types.hooks.values { hooks.unregister() }
        types = TypeScope()
        return remains
    }
}
