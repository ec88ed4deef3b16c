public import CPeal
internal import PealCore

@c @implementation
public func peal_owner_create(
    _ name: UnsafePointer<CChar>?, _ out_owner: UnsafeMutablePointer<peal_owner>?
) -> peal_status {
    out_owner?.pointee = peal_owner(id: 0)
    return Boundary.making { () throws(Failure) in
        guard let out_owner else { throw .null("out_owner") }
        out_owner.pointee = peal_owner(id: try Owner.make(try CallerText.read(name, "name")).id)
    }
}

@c @implementation
public func peal_owner_enter(_ owner: peal_owner) -> peal_status {
    Boundary.status { () throws(Failure) in try CurrentOwner.enter(try owner.find()) }
}

@c @implementation
public func peal_owner_leave() -> peal_status {
    Boundary.status { () throws(Failure) in try CurrentOwner.leave() }
}

@c @implementation
public func peal_owner_get_current() -> peal_owner {
    peal_owner(id: CurrentOwner.id)
}

@c @implementation
public func peal_owner_retire(_ owner: peal_owner, _ timeout: UInt32) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        Boundary.waited(try Owner.retire(owner.id, timeout: timeout), Owner.reasonNotToWait(owner.id))
    }
}

@c @implementation
public func peal_owner_list_observations(
    _ owner: peal_owner, _ out_observations: UnsafeMutablePointer<peal_observation>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let handles = try owner.find().observations.map { peal_observation(id: $0) }
        return try Boundary.list(handles, out_observations, capacity, out_count)
    }
}

@c @implementation
public func peal_owner_name(
    _ owner: peal_owner, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try owner.find().name, buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_find_pointers_into(
    _ address: UnsafeRawPointer?, _ visit: peal_pointer_visitor?, _ context: UnsafeMutableRawPointer?,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let address else { throw .null("address") }
        let found = try PointerSearch.run(address)
        out_count?.pointee = found.count
        for (what, function) in found { visit?(context, what, UnsafeRawPointer(bitPattern: function)) }
    }
}
