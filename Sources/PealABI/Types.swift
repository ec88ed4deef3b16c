public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_type_declare(_ center: peal_center, _ declarations: UnsafePointer<CChar>?) -> peal_status {
    Boundary.status { () throws(Failure) in
        try center.find().declareTypes(try Boundary.source(declarations, "declarations"))
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
