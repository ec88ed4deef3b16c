public import CPeal
internal import CPealSupport
internal import PealCall
internal import PealCore

@c @implementation
public func peal_type_declare(_ center: peal_center, _ declarations: UnsafePointer<CChar>?) -> peal_status {
    Boundary.making { () throws(Failure) in
        let text = try CallerText.source(declarations, "declarations")
        try Boundary.prepareMemory(text.utf8.count * 64)
        try center.find().declareTypes(text)
    }
}

@c @implementation
public func peal_type_layout(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ out_size: UnsafeMutablePointer<Int>?,
    _ out_alignment: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let layout = try center.find().layout(of: try CallerText.source(type, "type"))
        out_size?.pointee = layout.size
        out_alignment?.pointee = layout.alignment
    }
}

@c @implementation
public func peal_type_set_object(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ functions: UnsafePointer<peal_object_type>?
) -> peal_status {
    register(center, type) { (center, type, owner) throws(Failure) in
        try center.manageType(type, by: try TypeHooks(functions), for: owner)
    }
}

@c @implementation
public func peal_type_set_copy(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ functions: UnsafePointer<peal_struct_type>?
) -> peal_status {
    register(center, type) { (center, type, owner) throws(Failure) in
        try center.manageType(type, by: try TypeHooks(functions), for: owner)
    }
}

@c @implementation
public func peal_type_set_codec(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ functions: UnsafePointer<peal_type_codec>?
) -> peal_status {
    register(center, type) { (center, type, owner) throws(Failure) in
        try center.setCodec(try TypeCodec(functions), for: type, owner: owner)
    }
}

/// Registers functions for a type, which the owner of the thread owns.
private func register(
    _ center: peal_center, _ type: UnsafePointer<CChar>?,
    _ add: (Center, String, Owner?) throws(Failure) -> Void
) -> peal_status {
    Boundary.making { () throws(Failure) in
        let center = try center.find()
        let owner = try CurrentOwner.find(0)
        try add(center, try CallerText.source(type, "type"), owner)
    }
}

@c @implementation
public func peal_type_get_info(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ out_info: UnsafeMutablePointer<peal_type_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about a type", peal_type_info()) { (info) throws(Failure) in
        let functions = try center.find().functions(of: try CallerText.source(type, "type"))
        info.ownership = PEAL_OWNERSHIP_BARE
        guard let (hooks, codec) = functions else { return }
        info.ownership = hooks.isObject ? PEAL_OWNERSHIP_OBJECT : PEAL_OWNERSHIP_STRUCT
        info.retain = hooks.table.pointee.retain
        info.copy = hooks.table.pointee.copy
        info.release = hooks.table.pointee.release
        guard let codec else { return }
        info.encode = unsafeBitCast(codec.encode, to: Swift.type(of: info.encode))
        info.decode = unsafeBitCast(codec.decode, to: Swift.type(of: info.decode))
    }
}

extension TypeHooks {
    fileprivate init(_ functions: UnsafePointer<peal_object_type>?) throws(Failure) {
        guard functions != nil else { throw .null("functions") }
        let given = try Boundary.options(functions, named: "the functions of a type", default: peal_object_type())
        guard let retain = given.retain else { throw .null("retain") }
        guard let release = given.release else { throw .null("release") }
        self = try Self.made { () throws(OutOfMemory) in try .object(retain: retain, release: release) }
    }

    fileprivate init(_ functions: UnsafePointer<peal_struct_type>?) throws(Failure) {
        guard functions != nil else { throw .null("functions") }
        let given = try Boundary.options(functions, named: "the functions of a type", default: peal_struct_type())
        guard let copy = given.copy else { throw .null("copy") }
        guard let destroy = given.destroy else { throw .null("destroy") }
        self = try Self.made { () throws(OutOfMemory) in try .structure(copy: copy, destroy: destroy) }
    }

    private static func made(_ make: () throws(OutOfMemory) -> TypeHooks) throws(Failure) -> TypeHooks {
        do throws(OutOfMemory) {
            return try make()
        } catch {
            throw .outOfMemory
        }
    }
}

extension TypeCodec {
    fileprivate init(_ functions: UnsafePointer<peal_type_codec>?) throws(Failure) {
        guard functions != nil else { throw .null("functions") }
        let given = try Boundary.options(functions, named: "the codec of a type", default: peal_type_codec())
        guard let encode = given.encode else { throw .null("encode") }
        guard let decode = given.decode else { throw .null("decode") }
        self.init(encode: unsafeBitCast(encode, to: UInt.self), decode: unsafeBitCast(decode, to: UInt.self))
    }
}
