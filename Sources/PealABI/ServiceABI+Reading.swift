internal import CPeal
internal import CPealSupport
internal import PealCore

// The conversions of services: descriptions, uses, scopes, information.

extension Service {
    static func labelled(
        _ description: UnsafePointer<peal_service_description>, in center: peal_center
    ) throws(Failure) -> UInt64 {
        let read = try ServiceDescription.read(description)
        let label = try Boundary.label(description.pointee.label)
        let id = try register(read, in: center.id)
        label.attach(to: id) { Handles.services.has($0) }
        return id
    }
}

extension ServiceDescription {
    @_optimize(speed)
    static func read(_ description: UnsafePointer<peal_service_description>) throws(Failure) -> ServiceDescription {
        let given = try Boundary.options(
            description, named: "the description of a service", default: peal_service_description())
        let name = try Boundary.checkedText(given.name, "the service's name")
        var read = ServiceDescription(name: name, owner: try CurrentOwner.find(given.owner.id))
        guard given.flags & ~UInt32(PEAL_SERVICE_PERSISTENT.rawValue) == 0 else {
            throw Failure(
                .argument,
                "the flags of a service have bits that this library does not define; use those of enum peal_service_flags"
            )
        }
        read.isPersistent = given.flags & UInt32(PEAL_SERVICE_PERSISTENT.rawValue) != 0
        read.context = given.context
        read.create = given.create
        read.initialize = given.`init`
        read.clearData = given.clear_data
        read.destroy = given.destroy
        read.release = given.release
        read.provisions = try list(given.provides) { (provision) throws(Failure) in
            if provision.protocol == nil { return false }
            let name = try Boundary.checkedText(provision.protocol, "the protocol of a provision")
            guard provision.table != nil else { throw .null("the table for \(String(cString: name))") }
            return true
        }
        read.dependencies = try list(given.dependencies) { (name) throws(Failure) in
            if name == nil { return false }
            _ = try Boundary.checkedText(name, "the name of a dependency")
            return true
        }
        return read
    }

    /// Returns the list up to its end, the first element for which `hasElement` returns false.
    private static func list<Element>(
        _ list: UnsafePointer<Element>?, _ hasElement: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> UnsafeBufferPointer<Element> {
        var count = 0
        if let list { while count < most, try hasElement(list[count]) { count += 1 } }
        return UnsafeBufferPointer(start: list, count: count)
    }

    private static var most: Int { 65_536 }

    /// Calls the description's release function after a failed registration. A description of a later version may be
    /// longer. The members of this version have the same offsets there.
    static func releaseContext(_ description: UnsafePointer<peal_service_description>) {
        guard Boundary.size(of: description) >= MemoryLayout<peal_service_description>.size else { return }
        description.pointee.release?(description.pointee.context)
    }
}

extension Service {
    static func fill(
        _ out: UnsafeMutablePointer<peal_service>?, _ find: () throws(Failure) -> Service
    ) -> peal_status {
        out?.pointee = peal_service(id: 0)
        return Boundary.status { () throws(Failure) in
            guard let out else { throw .null("out_service") }
            out.pointee = peal_service(id: try find().id)
        }
    }

    @inline(never)
    static func fill(
        _ out: UnsafeMutablePointer<peal_service_use>?,
        _ get: () throws(Failure) -> (use: ServiceUse, table: UnsafeRawPointer?)
    ) -> peal_status {
        out?.pointee = peal_service_use()
        return Boundary.making { () throws(Failure) in
            guard let out else { throw .null("out_use") }
            let (use, table) = try get()
            out.pointee = peal_service_use(self: use.target, table: table, use: peal_use(id: use.id))
        }
    }
}

extension QuickUse {
    @inline(__always)
    func filled(_ table: UnsafeRawPointer?) -> peal_service_use {
        peal_service_use(self: element.pointee.`self`, table: table, use: peal_use(id: id))
    }
}

extension ServiceScope {
    @inline(never)
    static func beginSlow(
        _ service: peal_service, _ proto: peal_protocol, _ size: Int, _ out: UnsafeMutablePointer<peal_scope>?
    ) -> peal_status {
        out?.pointee = peal_scope()
        return Boundary.making { () throws(Failure) in
            guard let out else { throw .null("out_scope") }
            let service = try service.find()
            let table = proto.id == 0 ? nil : try service.table(for: try proto.find(), size: CallerSize.clamped(size))
            let (hazard, target) = try begin(service)
            out.pointee = peal_scope(self: target, table: table, hazard: peal_scope_name(hazard))
        }
    }

    /// Called when the fast path has failed. Out of line, and with unmoved arguments, so that the fast path saves and
    /// moves no registers.
    @inline(never)
    static func releaseAndBegin(
        _ service: peal_service, _ proto: peal_protocol, _ size: Int, _ out: UnsafeMutablePointer<peal_scope>?,
        _ hazard: Hazard
    ) -> peal_status {
        release(hazard)
        return beginSlow(service, proto, size, out)
    }

    /// Ends a scope whose hazard slot has a nonzero attention word, and does the work that the word requires.
    @inline(never)
    static func answerEnd(_ hazard: Hazard) -> peal_status {
        answer(hazard)
        return PEAL_OK
    }

    @inline(never)
    static func endSlow(_ scope: UnsafeMutablePointer<peal_scope>?) -> peal_status {
        Boundary.status { () throws(Failure) in
            guard let scope else { throw .null("scope") }
            guard let hazard = scope.pointee.hazard, end(peal_scope_slot(hazard), scope.pointee.`self`) else {
                throw Failure(
                    .state,
                    "the scope is not the innermost of this thread, or has ended; end scopes in reverse order, each once, where they began"
                )
            }
            scope.pointee.`self` = nil
        }
    }
}

extension ServiceInfo {
    func write(to info: UnsafeMutablePointer<peal_service_info>) {
        info.pointee.state =
            switch state {
            case .registered: PEAL_SERVICE_REGISTERED
            case .creating: PEAL_SERVICE_CREATING
            case .initializing: PEAL_SERVICE_INITIALIZING
            case .ready: PEAL_SERVICE_READY
            }
        info.pointee.flags = isPersistent ? UInt32(PEAL_SERVICE_PERSISTENT.rawValue) : 0
        info.pointee.created_at = createdAt
        info.pointee.creation_time = creationTime
        info.pointee.order = order
        info.pointee.uses = uses
        info.pointee.creations = creations
        info.pointee.failures = failures
        Boundary.fill(&info.pointee.name, with: name)
        Boundary.fill(&info.pointee.created_by, with: createdBy)
        Boundary.fill(&info.pointee.last_failure, with: lastFailure)
    }
}
