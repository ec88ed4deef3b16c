public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_observe(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ table: UnsafeRawPointer?,
    _ options: UnsafePointer<peal_observe_options>?, _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(proto, target, options, out_observation) { () throws(Failure) in
        guard let table else { throw .null("table") }
        return .table(table)
    }
}

@c @implementation
public func peal_observe_bindings(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ bindings: UnsafePointer<peal_binding>?,
    _ count: Int, _ options: UnsafePointer<peal_observe_options>?,
    _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(proto, target, options, out_observation) { () throws(Failure) in
        try Boundary.checkBindings(bindings, count)
        return .named(peal_named_functions(handler: nil, bindings: bindings, names: nil, count: count))
    }
}

@c @implementation
public func peal_observe_handler(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ handler: peal_handler?,
    _ methods: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ options: UnsafePointer<peal_observe_options>?,
    _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(proto, target, options, out_observation) { () throws(Failure) in
        guard let handler else { throw .null("handler") }
        let function = unsafeBitCast(handler, to: UnsafeRawPointer.self)
        try Boundary.checkNames(methods, count)
        guard let methods else { return .handler(function) }
        return .named(peal_named_functions(handler: function, bindings: nil, names: methods, count: count))
    }
}

@c @implementation
public func peal_observe_service(
    _ proto: peal_protocol, _ service: UnsafePointer<CChar>?, _ options: UnsafePointer<peal_observe_options>?,
    _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.registering(nil, options, out_observation) { (given) throws(Failure) in
        var registration = Registration(proto: try proto.find(), target: nil, functions: .service)
        guard given?.pointee.weak == nil, (given?.pointee.reference.id ?? 0) == 0 else {
            throw Failure(
                .argument, "a lazy observer keeps its instance by a use, not weakly; leave `weak` and `reference` empty"
            )
        }
        try registration.setService(try CallerText.read(service, "service"))
        if let given { try registration.apply(given) }
        return (try registration.register(), PEAL_OK)
    }
}

@c @implementation
public func peal_observation_remove(_ observation: peal_observation) -> peal_status {
    Observation.Removal.end(observation.id) ? PEAL_OK : Boundary.fail(.staleObservation)
}

@c @implementation
public func peal_observation_remove_with(
    _ observation: peal_observation, _ flags: UInt32, _ timeout: UInt32
) -> peal_status {
    // Most waiting removals end here.
    if flags == UInt32(PEAL_REMOVE_WAIT.rawValue), let isDone = Observation.Removal.endAndWait(observation.id, timeout)
    {
        return isDone ? PEAL_OK : notWaited(observation)
    }
    return remove(observation, flags, timeout)
}

@inline(never)
private func remove(_ observation: peal_observation, _ flags: UInt32, _ timeout: UInt32) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let removal = try Observation.Removal(flags, timeout)
        return try Observation.remove(observation.id, removal) ? PEAL_OK : notWaited(observation)
    }
}

@inline(never)
private func notWaited(_ observation: peal_observation) -> peal_status {
    Boundary.waited(false, Observation.reasonNotToWait(observation.id))
}

@c @implementation
public func peal_protocol_remove_observations_of(
    _ proto: peal_protocol, _ target: UnsafeRawPointer?, _ out_removed: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let removed = try proto.find().unobserve(.target(target))
        out_removed?.pointee = removed
    }
}

@c @implementation
public func peal_protocol_remove_observations(
    _ proto: peal_protocol, _ out_removed: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let removed = try proto.find().unobserve(.all)
        out_removed?.pointee = removed
    }
}

@c @implementation
public func peal_observation_block(_ observation: peal_observation) -> peal_status {
    Boundary.status { () throws(Failure) in try ObserverBlocks.block(observation.id) }
}

@c @implementation
public func peal_observation_unblock(_ observation: peal_observation) -> peal_status {
    Boundary.status { () throws(Failure) in try ObserverBlocks.unblock(observation.id) }
}

@c @implementation
public func peal_observation_is_active(_ observation: peal_observation) -> Bool {
    Observation.isActive(observation.id)
}
