internal import CPeal
internal import PealCore

/// A handle of the C interface: an id that leads to an object of one table, or to nothing.
protocol Handle {
    associatedtype Object: AnyObject & Sendable

    var id: UInt64 { get }
    static var table: HandleTable<Object> { get }
    /// The failure of a call with a handle that leads to nothing.
    static var stale: Failure { get }
}

extension Handle {
    func find() throws(Failure) -> Object {
        guard let object = Self.table.find(id) else { throw Self.stale }
        return object
    }
}

extension peal_center: Handle {
    static var table: HandleTable<Center> { Handles.centers }
    static var stale: Failure { .staleCenter }
}

extension peal_protocol: Handle {
    static var table: HandleTable<PealProtocol> { Handles.protocols }
    static var stale: Failure {
        Failure(.handle, "the protocol's handle is invalid: zero, never created, or of a center that has ended")
    }
}

extension peal_method: Handle {
    static var table: HandleTable<Method> { Handles.methods }
    static var stale: Failure {
        Failure(.handle, "the method's handle is invalid: zero, never created, or of a center that has ended")
    }
}

extension peal_observation {
    func find() throws(Failure) -> Observation {
        guard let observation = Handles.observations.find(id) else { throw .staleObservation }
        return observation
    }
}

extension peal_proxy: Handle {
    static var table: HandleTable<Proxy> { Handles.proxies }
    static var stale: Failure { .staleProxy }
}

extension peal_queue: Handle {
    static var table: HandleTable<Queue> { Handles.queues }
    static var stale: Failure { .staleQueue }
}

extension peal_timer {
    func find() throws(Failure) -> Timer {
        guard let timer = Handles.timers.find(id) else { throw .staleTimer }
        return timer
    }
}

extension peal_owner: Handle {
    static var table: HandleTable<Owner> { Handles.owners }
    static var stale: Failure { .staleOwner }
}

extension peal_service: Handle {
    static var table: HandleTable<Service> { Handles.services }
    static var stale: Failure { .staleService }
}

extension peal_module: Handle {
    static var table: HandleTable<Module> { Handles.modules }
    static var stale: Failure { .staleModule }
}

extension peal_invocation {
    /// Finds the invocation. Its method must not have ended either.
    func find() throws(Failure) -> Invocation { try Invocation.find(id) }
}
