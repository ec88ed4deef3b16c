public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_protocol_define(
    _ center: peal_center, _ description: UnsafePointer<peal_protocol_description>?,
    _ out_protocol: UnsafeMutablePointer<peal_protocol>?, _ out_methods: UnsafeMutablePointer<peal_method>?,
    _ method_capacity: Int
) -> peal_status {
    out_protocol?.pointee = peal_protocol(id: 0)
    return Boundary.making { () throws(Failure) in
        guard let description else { throw .null("description") }
        let read = try ProtocolDescription(reading: description)
        let (proto, methods) = try center.find().define(read, for: try CurrentOwner.find(0))
        out_protocol?.pointee = peal_protocol(id: proto.id)
        for (index, method) in methods.prefix(CallerSize.clamped(method_capacity)).enumerated() {
            out_methods?[index] = peal_method(id: method.id)
        }
    }
}

@c @implementation
public func peal_protocol_define_objc(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ required: UnsafePointer<peal_objc_method>?,
    _ optional: UnsafePointer<peal_objc_method>?, _ out_protocol: UnsafeMutablePointer<peal_protocol>?
) -> peal_status {
    out_protocol?.pointee = peal_protocol(id: 0)
    return Boundary.making { () throws(Failure) in
        let methods =
            try ProtocolDescription.encodings(required, .required) + ProtocolDescription.encodings(optional, .optional)
        try Boundary.prepareMemory(methods.count * 2048)
        let description = ProtocolDescription(name: try CallerText.read(name, "name"), methods: methods)
        let (proto, _) = try center.find().define(description, for: try CurrentOwner.find(0))
        out_protocol?.pointee = peal_protocol(id: proto.id)
    }
}

@c @implementation
public func peal_protocol_find(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ out_protocol: UnsafeMutablePointer<peal_protocol>?
) -> peal_status {
    if let out_protocol, let name, let found = MethodNames.findProtocol(name, in: center.id) {
        out_protocol.pointee = peal_protocol(id: found)
        return PEAL_OK
    }
    out_protocol?.pointee = peal_protocol(id: 0)
    return Boundary.status { () throws(Failure) in
        guard let out_protocol else { throw .null("out_protocol") }
        let proto = try center.find().findProtocol(try CallerText.read(name, "name"))
        out_protocol.pointee = peal_protocol(id: proto.id)
    }
}

@c @implementation
public func peal_method_find(
    _ proto: peal_protocol, _ name: UnsafePointer<CChar>?, _ out_method: UnsafeMutablePointer<peal_method>?
) -> peal_status {
    if let out_method, let name, let found = MethodNames.find(name, of: proto.id) {
        out_method.pointee = peal_method(id: found)
        return PEAL_OK
    }
    out_method?.pointee = peal_method(id: 0)
    return Boundary.status { () throws(Failure) in
        guard let out_method else { throw .null("out_method") }
        let method = try proto.find().method(named: try CallerText.read(name, "name"))
        out_method.pointee = peal_method(id: method.id)
    }
}

extension ProtocolDescription {
    init(reading description: UnsafePointer<peal_protocol_description>) throws(Failure) {
        let given = try Boundary.options(
            description, named: "the protocol's description", default: peal_protocol_description())
        self.init(
            name: try CallerText.read(given.name, "the protocol's name"),
            adopts: try Self.texts(given.adopts, "the name of an adopted protocol", CallerText.read),
            methods: try Self.texts(given.methods, "a method's text", CallerText.source).map(MethodSource.text),
            tableSize: given.table_size == 0 ? nil : CallerSize.clamped(given.table_size))
        try Boundary.prepareMemory(methods.count * 2048)
    }

    /// Reads the texts of a list that ends with NULL.
    private static func texts(
        _ list: UnsafePointer<UnsafePointer<CChar>?>?, _ name: String,
        _ read: (UnsafePointer<CChar>?, String) throws(Failure) -> String
    ) throws(Failure) -> [String] {
        guard var next = list else { return [] }
        var texts: [String] = []
        while next.pointee != nil {
            texts.append(try read(next.pointee, name))
            next += 1
        }
        return texts
    }

    fileprivate static func encodings(
        _ list: UnsafePointer<peal_objc_method>?, _ requirement: MethodDeclaration.Requirement
    ) throws(Failure) -> [MethodSource] {
        guard var next = list else { return [] }
        var methods: [MethodSource] = []
        while next.pointee.name != nil {
            let name = try CallerText.read(next.pointee.name, "a method's name")
            methods.append(
                .encoding(
                    name: name, types: try CallerText.source(next.pointee.types, "the encoding of \(name)"), requirement
                ))
            next += 1
        }
        return methods
    }
}
