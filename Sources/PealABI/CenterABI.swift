public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_center_default() -> peal_center {
    let center = Center.shared
    peal_inspection_load()
    return peal_center(id: center.id)
}

@c @implementation
public func peal_center_create(_ out_center: UnsafeMutablePointer<peal_center>?) -> peal_status {
    out_center?.pointee = peal_center(id: 0)
    return Boundary.making { () throws(Failure) in
        guard let out_center else { throw .null("out_center") }
        out_center.pointee = peal_center(id: try Center.make().id)
        peal_inspection_load()
    }
}

@c @implementation
public func peal_center_destroy(_ center: peal_center) -> peal_status {
    Boundary.status { () throws(Failure) in try center.find().end() }
}
