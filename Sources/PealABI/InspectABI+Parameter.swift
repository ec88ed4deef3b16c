public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_method_count_parameters(
    _ method: peal_method, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_count else { throw .null("out_count") }
        out_count.pointee = try method.find().parameterCount
    }
}

@c @implementation
public func peal_method_find_parameter(
    _ method: peal_method, _ name: UnsafePointer<CChar>?, _ out_index: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_index else { throw .null("out_index") }
        out_index.pointee = try method.find().parameterIndex(named: try CallerText.read(name, "name"))
    }
}

@c @implementation
public func peal_method_parameter_name(
    _ method: peal_method, _ index: Int, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(
            try method.find().parameter(CallerSize.clamped(index)).name ?? "", buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_parameter_type(
    _ method: peal_method, _ index: Int, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(
            "\(try method.find().parameter(CallerSize.clamped(index)).type)", buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_parameter_layout(
    _ method: peal_method, _ index: Int, _ out_size: UnsafeMutablePointer<Int>?,
    _ out_alignment: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let layout = try method.find().parameter(CallerSize.clamped(index)).shape.layout
        out_size?.pointee = layout.size
        out_alignment?.pointee = layout.alignment
    }
}

@c @implementation
public func peal_method_parameter_ownership(
    _ method: peal_method, _ index: Int, _ out_ownership: UnsafeMutablePointer<peal_ownership>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_ownership else { throw .null("out_ownership") }
        let method = try method.find()
        let ownership = try method.parameter(CallerSize.clamped(index)).ownership
        out_ownership.pointee = peal_ownership(ownership, isBorrowed: method.declaration.isBorrowed)
    }
}

extension peal_ownership {
    init(_ ownership: Ownership, isBorrowed: Bool) {
        self =
            switch ownership {
            case .value: PEAL_OWNERSHIP_VALUE
            case .string: PEAL_OWNERSHIP_STRING
            case .counted, .sized: PEAL_OWNERSHIP_BUFFER
            case .managed(let hooks): hooks.isObject ? PEAL_OWNERSHIP_OBJECT : PEAL_OWNERSHIP_STRUCT
            case .function: PEAL_OWNERSHIP_FUNCTION
            case .bare: isBorrowed ? PEAL_OWNERSHIP_BORROWED : PEAL_OWNERSHIP_BARE
            }
    }
}
