public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_service_register(
    _ center: peal_center, _ description: UnsafePointer<peal_service_description>?,
    _ out_service: UnsafeMutablePointer<peal_service>?
) -> peal_status {
    out_service?.pointee = peal_service(id: 0)
    do throws(Failure) {
        guard let description else { throw .null("description") }
        try Boundary.prepareMemory()
        let id = try Service.labelled(description, in: center)
        out_service?.pointee = peal_service(id: id)
        return PEAL_OK
    } catch {
        description.map(ServiceDescription.releaseContext)
        return Boundary.fail(error)
    }
}

@c @implementation
public func peal_service_remove(_ service: peal_service) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        Boundary.waited(try Service.unregister(service.id), SeenCall.serviceIsInUse)
    }
}

@c @implementation
public func peal_service_find(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ out_service: UnsafeMutablePointer<peal_service>?
) -> peal_status {
    Service.fill(out_service) { () throws(Failure) in
        try Service.find(try Boundary.checkedText(name, "name"), in: try center.find())
    }
}

@c @implementation
public func peal_service_find_provider(
    _ center: peal_center, _ proto: UnsafePointer<CChar>?, _ out_service: UnsafeMutablePointer<peal_service>?
) -> peal_status {
    Service.fill(out_service) { () throws(Failure) in
        try Service.find(providing: try CallerText.read(proto, "protocol"), in: try center.find())
    }
}

@c @implementation
public func peal_service_wait(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ timeout: UInt32,
    _ out_service: UnsafeMutablePointer<peal_service>?
) -> peal_status {
    Service.fill(out_service) { () throws(Failure) in
        try Service.wait(for: try Boundary.checkedText(name, "name"), in: try center.find(), timeout: timeout)
    }
}

@c @implementation @_optimize(speed)
public func peal_service_get(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ out_use: UnsafeMutablePointer<peal_service_use>?
) -> peal_status {
    let hash = name.map { peal_name_hash(center.id, $0) } ?? 0
    if let name, let out_use, let taken = QuickUse.named(name, hash, in: center.id) {
        out_use.pointee = taken.filled(nil)
        return PEAL_OK
    }
    return Service.fill(out_use) { () throws(Failure) in
        if let name, let use = try Service.useKnown(name, hash, in: center.id) { return (use, nil) }
        return (try Service.find(try Boundary.checkedText(name, "name"), in: try center.find()).use(), nil)
    }
}

@c @implementation
public func peal_service_get_provider(
    _ center: peal_center, _ proto: UnsafePointer<CChar>?, _ table_size: Int,
    _ out_use: UnsafeMutablePointer<peal_service_use>?
) -> peal_status {
    if let proto, let out_use, let (taken, table) = QuickUse.providing(proto, table_size, in: center.id) {
        out_use.pointee = taken.filled(table)
        return PEAL_OK
    }
    return Service.fill(out_use) { () throws(Failure) in
        let proto = try CallerText.read(proto, "protocol")
        let service = try Service.find(providing: proto, in: try center.find())
        let table = try service.table(for: proto, size: CallerSize.clamped(table_size))
        return (try service.use(), table)
    }
}

@c @implementation
public func peal_service_use_instance(
    _ service: peal_service, _ out_use: UnsafeMutablePointer<peal_service_use>?
) -> peal_status {
    if let out_use, let taken = QuickUse(service.id) {
        out_use.pointee = taken.filled(nil)
        return PEAL_OK
    }
    return Service.fill(out_use) { () throws(Failure) in (try service.find().use(), nil) }
}

@c @implementation
public func peal_use_table(
    _ use: peal_use, _ proto: UnsafePointer<CChar>?, _ table_size: Int,
    _ out_table: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_table else { throw .null("out_table") }
        out_table.pointee = nil
        let service = try ServiceUse.service(of: use.id)
        let proto = try CallerText.read(proto, "protocol")
        out_table.pointee = try service.table(for: proto, size: CallerSize.clamped(table_size))
    }
}

@c @implementation
public func peal_use_retain(_ use: peal_use) -> peal_status {
    Boundary.status { () throws(Failure) in try ServiceUse.retain(use.id) }
}

@c @implementation
public func peal_use_release(_ use: peal_use) -> peal_status {
    if use.id == 0 { return PEAL_OK }
    guard let element = peal_instance_element_of(use.id) else { return Boundary.fail(.staleUse) }
    switch peal_instance_release(element, use.id) {
    case PEAL_RELEASED: return PEAL_OK
    case PEAL_RELEASED_LAST: ServiceUse.endLast(use.id)
    default: return Boundary.fail(.staleUse)
    }
    return PEAL_OK
}

@c @implementation @_optimize(speed)
public func peal_scope_begin(
    _ service: peal_service, _ proto: peal_protocol, _ table_size: Int, _ out_scope: UnsafeMutablePointer<peal_scope>?
) -> peal_status {
    guard let out_scope, let element = peal_service_element_of(service.id), let hazard = peal_hazard_outermost() else {
        return ServiceScope.beginSlow(service, proto, table_size, out_scope)
    }
    guard let scope = ServiceScope.beginFast(hazard, element, service.id, proto.id, table_size) else {
        return ServiceScope.releaseAndBegin(service, proto, table_size, out_scope, hazard)
    }
    out_scope.pointee = peal_scope(self: scope.target, table: scope.table, hazard: peal_hazard_shown(scope.hazard))
    return PEAL_OK
}

@c @implementation @_optimize(speed)
public func peal_scope_end(_ scope: UnsafeMutablePointer<peal_scope>?) -> peal_status {
    guard let scope, let hazard = scope.pointee.hazard.map({ peal_hazard_of_shown($0) }),
        peal_scope_is_outermost(hazard),
        peal_scope_protects(hazard, scope.pointee.`self`)
    else { return ServiceScope.endSlow(scope) }
    scope.pointee.`self` = nil
    return peal_hazard_release(hazard) ? ServiceScope.answerEnd(hazard) : PEAL_OK
}

@c @implementation
public func peal_service_remove_instance(_ service: peal_service) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        Boundary.waited(try service.find().remove(), SeenCall.serviceIsInUse)
    }
}

@c @implementation
public func peal_service_clear_data(_ service: peal_service) -> peal_status {
    Boundary.status { () throws(Failure) in try service.find().clearData() }
}

@c @implementation
public func peal_session_end(_ center: peal_center, _ out_removed: UnsafeMutablePointer<Int>?) -> peal_status {
    out_removed?.pointee = 0
    return Boundary.outcome { () throws(Failure) in
        let (removed, haveEnded) = try center.find().endSession()
        out_removed?.pointee = removed
        return Boundary.waited(haveEnded, SeenCall.serviceIsInUse)
    }
}

@c @implementation
public func peal_service_get_info(_ service: peal_service, _ info: UnsafeMutablePointer<peal_service_info>?)
    -> peal_status
{
    Boundary.status { () throws(Failure) in
        guard let info else { throw .null("info") }
        _ = try Boundary.options(info, named: "the information about a service", default: peal_service_info())
        let service = try service.find()
        try ServiceInfo(service).write(to: info)
        withUnsafeMutableBytes(of: &info.pointee.label) { Label.copy(of: service.id, to: $0) }
    }
}

@c @implementation
public func peal_service_list(
    _ center: peal_center, _ out_services: UnsafeMutablePointer<peal_service>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let services = try center.find().listServices().map { peal_service(id: $0.id) }
        return try Boundary.list(services, out_services, capacity, out_count)
    }
}
