internal import CPeal
internal import PealCore

extension ModuleDescription {
    /// Reads a description. If that fails, calls the description's release function, as the interface promises.
    static func read(
        _ description: UnsafePointer<peal_module_description>?, _ center: peal_center
    ) throws(Failure) -> (Center, ModuleDescription) {
        guard let description else { throw .null("description") }
        // A description of a later version may be longer. The members of this version have the same offsets there.
        let isWhole = Boundary.size(of: description) >= MemoryLayout<peal_module_description>.size
        do throws(Failure) {
            try Boundary.prepareMemory()
            let given = try Boundary.options(
                description, named: "the description of a module", default: peal_module_description())
            return (try center.find(), try ModuleDescription(given))
        } catch {
            if isWhole { description.pointee.release?(description.pointee.context) }
            throw error
        }
    }

    private init(_ given: peal_module_description) throws(Failure) {
        self.init(name: try CallerText.read(given.name, "the name of a module"), meaning: Self.meaning)
        if given.class_name != nil { className = try CallerText.read(given.class_name, "the class of module \(name)") }
        if given.service != nil { service = try CallerText.read(given.service, "the service of module \(name)") }
        var next = given.dependencies
        while let list = next, list.pointee != nil {
            dependencies.append(try CallerText.read(list.pointee, "a dependency of module \(name)"))
            next = list + 1
        }
        var provision = given.tables
        while let list = provision, list.pointee.protocol != nil {
            let proto = try CallerText.read(list.pointee.protocol, "a protocol of module \(name)")
            guard let table = list.pointee.table else { throw .null("the table of module \(name) for \(proto)") }
            tables.append((proto, table))
            provision = list + 1
        }
        priority = given.priority
        timeout = given.timeout == 0 ? Self.defaultTimeout : given.timeout
        if given.queue.id != 0 { queue = try given.queue.find() }
        owner = try CurrentOwner.find(given.owner.id)
        context = given.context
        start = given.start.map { unsafeBitCast($0, to: Step.self) }
        stop = given.stop.map { unsafeBitCast($0, to: Step.self) }
        release = given.release
    }

    /// The meaning of a step's status. A positive status other than PEAL_DEFERRED is a success with a remark.
    private static var meaning: @Sendable (Int32) -> Meaning {
        { status in
            if status == PEAL_DEFERRED.rawValue { return .deferred }
            if status >= 0 { return .done }
            let status = peal_status(rawValue: status)
            return .failed("\(String(cString: peal_status_name(status))): \(String(cString: peal_status_text(status)))")
        }
    }
}
