public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_protocol_name(
    _ proto: peal_protocol, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try proto.find().name, buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_protocol_version(
    _ proto: peal_protocol, _ out_version: UnsafeMutablePointer<UInt32>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_version else { throw .null("out_version") }
        out_version.pointee = UInt32(clamping: try proto.find().version())
    }
}

@c @implementation
public func peal_protocol_list_methods(
    _ proto: peal_protocol, _ out_methods: UnsafeMutablePointer<peal_method>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) -> peal_status in
        let handles = try proto.find().methods().map { peal_method(id: $0.id) }
        return try Boundary.list(handles, out_methods, capacity, out_count)
    }
}

@c @implementation
public func peal_protocol_count_observers(
    _ proto: peal_protocol, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_count else { throw .null("out_count") }
        out_count.pointee = try proto.find().countObservers()
    }
}

@c @implementation
public func peal_method_name(
    _ method: peal_method, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try method.find().name, buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_declaration(
    _ method: peal_method, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write("\(try method.find().declaration)", buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_count_observers(
    _ method: peal_method, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_count else { throw .null("out_count") }
        out_count.pointee = try method.find().observerCount()
    }
}

@c @implementation
public func peal_method_call_path(
    _ method: peal_method, _ out_path: UnsafeMutablePointer<peal_call_path>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_path else { throw .null("out_path") }
        out_path.pointee = try method.find().usesFrame ? PEAL_CALL_PATH_REGISTER_FRAME : PEAL_CALL_PATH_FFI_CALL
    }
}

@c @implementation
public func peal_method_result_type(
    _ method: peal_method, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write("\(try method.find().declaration.signature.result)", buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_result_layout(
    _ method: peal_method, _ out_size: UnsafeMutablePointer<Int>?, _ out_alignment: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let layout = try method.find().declaration.signature.result.shape.layout
        out_size?.pointee = layout.size
        out_alignment?.pointee = layout.alignment
    }
}

@c @implementation
public func peal_method_frame_length(
    _ method: peal_method, _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_length else { throw .null("out_length") }
        out_length.pointee = try method.find().frameLength
    }
}

@c @implementation
public func peal_method_check(_ method: peal_method, _ prototype: UnsafePointer<CChar>?) -> peal_status {
    Boundary.status { () throws(Failure) in
        try method.find().check(prototype: try CallerText.source(prototype, "prototype"))
    }
}

@c @implementation
public func peal_method_is_oneway(
    _ method: peal_method, _ out_is_oneway: UnsafeMutablePointer<Bool>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_is_oneway else { throw .null("out_is_oneway") }
        out_is_oneway.pointee = try method.find().resultSize == 0
    }
}

@c @implementation
public func peal_method_list_observations(
    _ method: peal_method, _ out_observations: UnsafeMutablePointer<peal_observation>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let handles = try method.find().observations().map { peal_observation(id: $0.id) }
        return try Boundary.list(handles, out_observations, capacity, out_count)
    }
}

@c @implementation
public func peal_protocol_list_observations(
    _ proto: peal_protocol, _ out_observations: UnsafeMutablePointer<peal_observation>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let handles = try proto.find().observations().map { peal_observation(id: $0.id) }
        return try Boundary.list(handles, out_observations, capacity, out_count)
    }
}

@c @implementation
public func peal_observation_get_info(
    _ observation: peal_observation, _ info: UnsafeMutablePointer<peal_observation_info>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let info else { throw .null("info") }
        _ = try Boundary.options(info, named: "the information about an observation", default: peal_observation_info())
        info.pointee = peal_observation_info(try observation.find().facts)
        withUnsafeMutableBytes(of: &info.pointee.label) { Label.copy(of: observation.id, to: $0) }
    }
}

extension peal_observation_info {
    fileprivate init(_ facts: Observation.Facts) {
        let once = facts.isOnce ? PEAL_OBSERVE_ONCE.rawValue : 0
        let blocked = facts.isBlocked ? PEAL_OBSERVE_BLOCKED.rawValue : 0
        let passive = facts.isPassive ? PEAL_OBSERVE_PASSIVE.rawValue : 0
        let later = facts.includesLater ? PEAL_OBSERVE_LATER_METHODS.rawValue : 0
        self.init()
        size = MemoryLayout<peal_observation_info>.size
        `protocol` = peal_protocol(id: facts.proto)
        target = facts.target
        queue = peal_queue(id: facts.queue)
        owner = peal_owner(id: facts.owner)
        priority = facts.priority
        flags = once | blocked | passive | later
        is_weak = facts.isWeak
        is_dead = facts.isDead
        function = facts.function
    }
}
