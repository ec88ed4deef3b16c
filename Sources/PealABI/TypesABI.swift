public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_type_declare(_ center: peal_center, _ declarations: UnsafePointer<CChar>?) -> peal_status {
    Boundary.making { () throws(Failure) in
        let text = try Boundary.source(declarations, "declarations")
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
        let layout = try center.find().layout(of: try Boundary.source(type, "type"))
        out_size?.pointee = layout.size
        out_alignment?.pointee = layout.alignment
    }
}

@c @implementation
public func peal_type_set_object(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ functions: UnsafePointer<peal_object_type>?
) -> peal_status {
    Boundary.making { () throws(Failure) in
        let center = try center.find()
        let owner = try CurrentOwner.find(0)
        try center.manageType(try Boundary.source(type, "type"), by: try TypeHooks(functions), for: owner)
    }
}

@c @implementation
public func peal_type_set_copy(
    _ center: peal_center, _ type: UnsafePointer<CChar>?, _ functions: UnsafePointer<peal_struct_type>?
) -> peal_status {
    Boundary.making { () throws(Failure) in
        let center = try center.find()
        let owner = try CurrentOwner.find(0)
        try center.manageType(try Boundary.source(type, "type"), by: try TypeHooks(functions), for: owner)
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
