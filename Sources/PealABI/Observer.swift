public import CPeal
internal import PealCore

@c @implementation
public func peal_observe(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ table: UnsafeRawPointer?,
    _ options: UnsafePointer<peal_observe_options>?, _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(target, options, out_observation) { () throws(Failure) in
        let proto = try proto.find()
        guard let table else { throw .null("table") }
        return Registration(proto: proto, target: target, functions: .table(table))
    }
}

@c @implementation
public func peal_observe_bindings(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ bindings: UnsafePointer<peal_binding>?,
    _ count: Int, _ options: UnsafePointer<peal_observe_options>?,
    _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(target, options, out_observation) { () throws(Failure) in
        let proto = try proto.find()
        return Registration(
            proto: proto, target: target, functions: .bindings(try FunctionBinding.read(bindings, count)))
    }
}

@c @implementation
public func peal_observe_handler(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ handler: peal_handler?,
    _ methods: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ options: UnsafePointer<peal_observe_options>?,
    _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(target, options, out_observation) { () throws(Failure) in
        let proto = try proto.find()
        guard let handler else { throw .null("handler") }
        let names = try Boundary.methodNames(methods, count)
        return Registration(
            proto: proto, target: target, functions: .handler(unsafeBitCast(handler, to: UnsafeRawPointer.self), names: names))
    }
}

@c @implementation
public func peal_observe_service(
    _ proto: peal_protocol, _ service: UnsafePointer<CChar>?, _ options: UnsafePointer<peal_observe_options>?,
    _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.register(nil, options, out_observation) { () throws(Failure) in
        let proto = try proto.find()
        guard options?.pointee.weak == nil, (options?.pointee.reference.number ?? 0) == 0 else {
            throw Failure(.argument, "a service is held by a use, and not weakly; leave `weak` and `reference` empty")
        }
        return try Registration(proto: proto, service: try Boundary.text(service, "service"))
    }
}

@c @implementation
public func peal_observation_remove(_ observation: peal_observation) -> peal_status {
    Boundary.status { () throws(Failure) in try Observation.remove(observation.number) }
}

@c @implementation
public func peal_observation_remove_with(
    _ observation: peal_observation, _ flags: UInt32, _ timeout: UInt32
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        guard flags & ~UInt32(PEAL_REMOVE_DRAIN.rawValue | PEAL_REMOVE_WAIT.rawValue) == 0 else {
            throw Failure(.argument, "the flags of a removal have bits that this library does not know; use those of enum peal_remove_flags")
        }
        var removal = Observation.Removal()
        removal.drains = flags & UInt32(PEAL_REMOVE_DRAIN.rawValue) != 0
        removal.timeout = flags & UInt32(PEAL_REMOVE_WAIT.rawValue) != 0 ? timeout : nil
        return try Observation.remove(observation.number, removal) ? PEAL_OK : PEAL_NOT_WAITED
    }
}

@c @implementation
public func peal_unobserve(
    _ proto: peal_protocol, _ target: UnsafeRawPointer?, _ out_removed: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let removed = try proto.find().unobserve(.target(target))
        out_removed?.pointee = removed
    }
}

@c @implementation
public func peal_unobserve_all(
    _ proto: peal_protocol, _ out_removed: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        let removed = try proto.find().unobserve(.all)
        out_removed?.pointee = removed
    }
}

@c @implementation
public func peal_observation_block(_ observation: peal_observation) -> peal_status {
    Boundary.status { () throws(Failure) in try observation.find().block() }
}

@c @implementation
public func peal_observation_unblock(_ observation: peal_observation) -> peal_status {
    Boundary.status { () throws(Failure) in try observation.find().unblock() }
}

@c @implementation
public func peal_observation_is_active(_ observation: peal_observation) -> Bool {
    Handles.observations.find(observation.number) != nil
}

extension Registration {
    fileprivate static func register(
        _ target: UnsafeMutableRawPointer?, _ options: UnsafePointer<peal_observe_options>?,
        _ out_observation: UnsafeMutablePointer<peal_observation>?, make: () throws(Failure) -> Registration
    ) -> peal_status {
        registering(target, options, out_observation) { (given) throws(Failure) in
            var registration = try make()
            try registration.apply(given)
            return (try registration.register(), PEAL_OK)
        }
    }

    /// Registers, and keeps the promise that the destroy callback runs also when that fails.
    static func registering(
        _ target: UnsafeMutableRawPointer?, _ options: UnsafePointer<peal_observe_options>?,
        _ out_observation: UnsafeMutablePointer<peal_observation>?,
        _ body: (peal_observe_options) throws(Failure) -> (number: UInt64, status: peal_status)
    ) -> peal_status {
        out_observation?.pointee = peal_observation(number: 0)
        // Of options that a later version made longer, the members that are known here are where they were.
        let isWhole = options.map { Boundary.size(of: $0) >= MemoryLayout<peal_observe_options>.size } ?? false
        let destroy = isWhole ? options?.pointee.destroy : nil
        do throws(Failure) {
            try Boundary.prepareMemory()
            let given = try Boundary.options(
                options, named: "the options of an observer", default: peal_observe_options())
            let made = try body(given)
            out_observation?.pointee = peal_observation(number: made.number)
            return made.status
        } catch {
            destroy?(target)
            return Boundary.fail(error)
        }
    }

    mutating func apply(_ options: peal_observe_options) throws(Failure) {
        func has(_ flag: peal_observe_flags) -> Bool { options.flags & UInt32(flag.rawValue) != 0 }
        let known = PEAL_OBSERVE_ONCE.rawValue | PEAL_OBSERVE_REPLACE.rawValue
            | PEAL_OBSERVE_ALLOW_DUPLICATE.rawValue | PEAL_OBSERVE_BLOCKED.rawValue
            | PEAL_OBSERVE_BORROWED.rawValue
        guard options.flags & ~UInt32(known) == 0 else {
            throw Failure(.argument, "the flags of an observer have bits that this library does not know; use those of enum peal_observe_flags")
        }
        guard !(has(PEAL_OBSERVE_REPLACE) && has(PEAL_OBSERVE_ALLOW_DUPLICATE)) else {
            throw Failure(.argument, "PEAL_OBSERVE_REPLACE and PEAL_OBSERVE_ALLOW_DUPLICATE exclude each other; choose one")
        }
        priority = options.priority
        destroy = options.destroy
        isOnce = has(PEAL_OBSERVE_ONCE)
        isBlocked = has(PEAL_OBSERVE_BLOCKED)
        isBorrowed = has(PEAL_OBSERVE_BORROWED)
        if options.queue.number != 0 { queue = try options.queue.find() }
        owner = try CurrentOwner.find(options.owner.number)
        weak = try WeakTarget(options.weak, options.weak_reference, options.reference, target: target)
        duplicates = has(PEAL_OBSERVE_REPLACE) ? .replaced : has(PEAL_OBSERVE_ALLOW_DUPLICATE) ? .allowed : .refused
    }
}

extension Boundary {
    /// The names of methods; nil for all.
    fileprivate static func methodNames(
        _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
    ) throws(Failure) -> [String]? {
        guard let names else {
            guard count == 0 else { throw .null("methods") }
            return nil
        }
        guard (0...FunctionBinding.mostBindings).contains(count) else {
            throw Failure(.argument, "there are \(count) names of methods; give as many as `methods` has")
        }
        var read: [String] = []
        for name in UnsafeBufferPointer(start: names, count: count) { read.append(try text(name, "the name of a method")) }
        return read
    }
}

extension FunctionBinding {
    fileprivate static func read(
        _ bindings: UnsafePointer<peal_binding>?, _ count: Int
    ) throws(Failure) -> [FunctionBinding] {
        guard count != 0 else { return [] }
        guard let bindings else { throw .null("bindings") }
        guard count > 0, count <= mostBindings else {
            throw Failure(.argument, "there are \(count) bindings; \(mostBindings) at most")
        }
        var read: [FunctionBinding] = []
        for binding in UnsafeBufferPointer(start: bindings, count: count) {
            let method = try Boundary.text(binding.method, "the method of a binding")
            let prototype: String? =
                binding.prototype == nil ? nil : try Boundary.source(binding.prototype, "the prototype of \(method)")
            let function = unsafeBitCast(binding.function, to: UnsafeRawPointer?.self)
            read.append(FunctionBinding(method: method, function: function, prototype: prototype))
        }
        return read
    }

    fileprivate static var mostBindings: Int { 65_536 }
}
