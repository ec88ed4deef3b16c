internal import CPealSupport
import PealCall

/// The changing state of a center. Guarded by its lock.
struct CenterState {
    var isEnded = false
    var types = TypeScope()
    var protocolsByName: [String: PealProtocol] = [:]
    private var knownParameters = KnownParameters()
    /// The number of all registrations so far.
    var registrations: UInt64 = 0
    var properties: [String: Property] = [:]

    subscript(proto: PealProtocol) -> ProtocolState { proto.state }

    /// Has the declarations share the memory of identical lists of parameters.
    mutating func sharing(_ declarations: [MethodDeclaration]) -> [MethodDeclaration] {
        declarations.map { knownParameters.share($0) }
    }

    /// The protocols that programs define, and the protocols of properties.
    var protocols: [PealProtocol] { protocolsByName.values + properties.values.map { $0.proto } }

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
        for property in properties.values { property.close() }
        for proto in protocols {
            // An observer that another thread has closed is released by that thread.
            remains.observers += proto.registeredObservers.all.filter { $0.close() }
            for method in self[proto].all { method.close() }
            self[proto].end()
            proto.retire()
        }
        properties = [:]
        protocolsByName = [:]
        for hooks in types.hooks.values { hooks.unregister() }
        types = TypeScope()
        knownParameters = KnownParameters()
        return remains
    }
}
