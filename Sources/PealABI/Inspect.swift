public import CPeal
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
        guard out_methods != nil || capacity == 0 else { throw .null("out_methods") }
        guard capacity >= 0 else { throw Failure(.argument, "capacity is above half the address space; give the room in out_methods") }
        let methods = try proto.find().methods()
        out_count?.pointee = methods.count
        for (index, method) in methods.prefix(max(0, capacity)).enumerated() {
            out_methods?[index] = peal_method(number: method.number)
        }
        return methods.count <= capacity ? PEAL_OK : PEAL_TRUNCATED
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
