public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_center_list(
    _ out_centers: UnsafeMutablePointer<peal_center>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_centers) { Handles.centers.ids.map { peal_center(id: $0) } }
}

@c @implementation
public func peal_queue_list(
    _ out_queues: UnsafeMutablePointer<peal_queue>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_queues) { Handles.queues.ids.map { peal_queue(id: $0) } }
}

@c @implementation
public func peal_timer_list(
    _ out_timers: UnsafeMutablePointer<peal_timer>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_timers) { Handles.timers.ids.map { peal_timer(id: $0) } }
}

@c @implementation
public func peal_owner_list(
    _ out_owners: UnsafeMutablePointer<peal_owner>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_owners) { Handles.owners.ids.map { peal_owner(id: $0) } }
}

@c @implementation
public func peal_proxy_list(
    _ out_proxies: UnsafeMutablePointer<peal_proxy>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_proxies) { Handles.proxies.ids.map { peal_proxy(id: $0) } }
}

@c @implementation
public func peal_protocol_list(
    _ center: peal_center, _ out_protocols: UnsafeMutablePointer<peal_protocol>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_protocols) { () throws(Failure) in
        try center.find().listProtocols().map { peal_protocol(id: $0) }
    }
}

@c @implementation
public func peal_protocol_list_adopted(
    _ proto: peal_protocol, _ out_protocols: UnsafeMutablePointer<peal_protocol>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_protocols) { () throws(Failure) in
        try proto.find().adoptedProtocols.map { peal_protocol(id: $0) }
    }
}

@c @implementation
public func peal_property_list(
    _ center: peal_center, _ out_properties: UnsafeMutablePointer<peal_property>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.list(capacity, out_count, out_properties) { () throws(Failure) in
        try center.find().listProperties().map { peal_property(id: $0) }
    }
}

extension Boundary {
    /// Copies the handles that `find` returns into the caller's array.
    fileprivate static func list<Handle>(
        _ capacity: Int, _ outCount: UnsafeMutablePointer<Int>?, _ out: UnsafeMutablePointer<Handle>?,
        _ find: () throws(Failure) -> [Handle]
    ) -> peal_status {
        outcome { () throws(Failure) in try list(try find(), out, capacity, outCount) }
    }
}
