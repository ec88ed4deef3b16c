public import CPeal
internal import CPealSupport
internal import PealCall
internal import PealCore

@c @implementation
public func peal_method_describe(
    _ method: peal_method, _ out_type: UnsafeMutablePointer<UnsafePointer<peal_type>?>?
) -> peal_status {
    Boundary.describing(out_type) { () throws(Failure) in
        let method = try method.find()
        return try TypeDescription.make(try method.typeGraph(), isBorrowed: method.declaration.isBorrowed)
    }
}

@c @implementation
public func peal_type_describe(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ out_type: UnsafeMutablePointer<UnsafePointer<peal_type>?>?
) -> peal_status {
    Boundary.describing(out_type) { () throws(Failure) in
        let text = try CallerText.source(type, "type")
        return try TypeDescription.make(try center.find().describe(text))
    }
}

@c @implementation
public func peal_type_destroy(_ type: UnsafePointer<peal_type>?) {
    peal_memory_free(UnsafeMutableRawPointer(mutating: type))
}

@c @implementation
public func peal_type_list(
    _ center: peal_center, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let lines = try center.find().typeNames().map { $0 + "\n" }
        return try Boundary.write(lines.joined(), buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_canonical_text(
    _ method: peal_method, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try method.find().canonicalText(), buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_method_fingerprint(
    _ method: peal_method, _ out_fingerprint: UnsafeMutablePointer<UInt64>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_fingerprint else { throw .null("out_fingerprint") }
        out_fingerprint.pointee = try method.find().canonicalText().fingerprint
    }
}

@c @implementation
public func peal_protocol_canonical_text(
    _ proto: peal_protocol, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try proto.find().canonicalText(), buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_protocol_fingerprint(
    _ proto: peal_protocol, _ out_fingerprint: UnsafeMutablePointer<UInt64>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_fingerprint else { throw .null("out_fingerprint") }
        out_fingerprint.pointee = try proto.find().canonicalText().fingerprint
    }
}

extension Boundary {
    /// Makes a description, which the caller will own.
    fileprivate static func describing(
        _ outType: UnsafeMutablePointer<UnsafePointer<peal_type>?>?,
        _ make: () throws(Failure) -> UnsafePointer<peal_type>
    ) -> peal_status {
        outType?.pointee = nil
        return making { () throws(Failure) in
            guard let outType else { throw .null("out_type") }
            outType.pointee = try make()
        }
    }
}
