internal import CPeal
internal import PealCore

extension Registration {
    @inline(__always)
    static func register(
        _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ options: UnsafePointer<peal_observe_options>?,
        _ out_observation: UnsafeMutablePointer<peal_observation>?,
        functions: () throws(Failure) -> Functions
    ) -> peal_status {
        registering(target, options, out_observation) { (given) throws(Failure) in
            let functions = try result(of: functions, for: proto)
            let id = try register(
                proto.id, target, functions, hasOptions: given != nil
            ) { (registration) throws(Failure) in
                if let given { try registration.apply(given) }
            }
            guard let id else { throw peal_protocol.stale }
            return (id, PEAL_OK)
        }
    }

    /// A stale protocol is reported first.
    @inline(__always)
    private static func result(
        of functions: () throws(Failure) -> Functions, for proto: peal_protocol
    ) throws(Failure) -> Functions {
        do throws(Failure) {
            return try functions()
        } catch {
            _ = try proto.find()
            throw error
        }
    }

    /// Runs `body`, which registers with the options, or with none. If that fails, calls the destroy callback, as the
    /// interface promises.
    @inline(__always)
    static func registering(
        _ target: UnsafeMutableRawPointer?, _ options: UnsafePointer<peal_observe_options>?,
        _ out_observation: UnsafeMutablePointer<peal_observation>?,
        _ body: (UnsafePointer<peal_observe_options>?) throws(Failure) -> (id: UInt64, status: peal_status)
    ) -> peal_status {
        out_observation?.pointee = peal_observation(id: 0)
        // Options of a later version may be longer. The members of this version have the same offsets there.
        let isWhole = options.map { Boundary.size(of: $0) >= MemoryLayout<peal_observe_options>.size } ?? false
        let destroy = isWhole ? options?.pointee.destroy : nil
        do throws(Failure) {
            try Boundary.prepareMemory()
            if let options, Boundary.size(of: options) != MemoryLayout<peal_observe_options>.size {
                throw Boundary.wrongSize(of: options, named: "the options of an observer")
            }
            let label = options?.pointee.label == nil ? nil : try Boundary.label(options?.pointee.label)
            let made = try body(options)
            if let label { label.attach(to: made.id) { Handles.observations.has($0) } }
            out_observation?.pointee = peal_observation(id: made.id)
            return made.status
        } catch {
            destroy?(target)
            return Boundary.fail(error)
        }
    }

    @inline(__always)
    mutating func apply(_ options: UnsafePointer<peal_observe_options>) throws(Failure) {
        priority = options.pointee.priority
        destroy = options.pointee.destroy
        // Most options have no others.
        let ids = options.pointee.queue.id | options.pointee.owner.id | options.pointee.reference.id
        guard ids != 0 || options.pointee.flags != 0 || options.pointee.weak != nil else { return }
        try applyOthers(options.pointee)
    }

    @inline(never)
    private mutating func applyOthers(_ given: peal_observe_options) throws(Failure) {
        func has(_ flag: peal_observe_flags) -> Bool { given.flags & UInt32(flag.rawValue) != 0 }
        let known =
            PEAL_OBSERVE_ONCE.rawValue | PEAL_OBSERVE_REPLACE.rawValue
            | PEAL_OBSERVE_ALLOW_DUPLICATE.rawValue | PEAL_OBSERVE_BLOCKED.rawValue
            | PEAL_OBSERVE_BORROWED.rawValue | PEAL_OBSERVE_PASSIVE.rawValue | PEAL_OBSERVE_LATER_METHODS.rawValue
            | PEAL_OBSERVE_RETAINS.rawValue
        guard given.flags & ~UInt32(known) == 0 else {
            throw Failure(
                .argument,
                "the flags of an observer have bits that this library does not define; use those of enum peal_observe_flags"
            )
        }
        guard !(has(PEAL_OBSERVE_REPLACE) && has(PEAL_OBSERVE_ALLOW_DUPLICATE)) else {
            throw Failure(
                .argument, "PEAL_OBSERVE_REPLACE and PEAL_OBSERVE_ALLOW_DUPLICATE exclude each other; choose one")
        }
        if has(PEAL_OBSERVE_ONCE) { options.insert(.once) }
        if has(PEAL_OBSERVE_BLOCKED) { options.insert(.blocked) }
        if has(PEAL_OBSERVE_BORROWED) { options.insert(.borrowed) }
        if has(PEAL_OBSERVE_PASSIVE) { options.insert(.passive) }
        if has(PEAL_OBSERVE_REPLACE) { options.insert(.replacesDuplicates) }
        if has(PEAL_OBSERVE_ALLOW_DUPLICATE) { options.insert(.allowsDuplicates) }
        if has(PEAL_OBSERVE_LATER_METHODS) { try includeLaterMethods() }
        if given.queue.id != 0 { queue = try given.queue.find() }
        if given.owner.id != 0 { owner = try CurrentOwner.find(given.owner.id) }
        weak = try WeakTarget(given.weak, given.weak_reference, given.reference, target: target)
        if has(PEAL_OBSERVE_RETAINS) { try retainByFunctions() }
    }
}

extension Observation.Removal {
    init(_ flags: UInt32, _ timeout: UInt32) throws(Failure) {
        guard flags & ~UInt32(PEAL_REMOVE_DRAIN.rawValue | PEAL_REMOVE_WAIT.rawValue) == 0 else {
            throw Failure(
                .argument,
                "the flags of a removal have bits that this library does not define; use those of enum peal_remove_flags"
            )
        }
        self.init()
        drains = flags & UInt32(PEAL_REMOVE_DRAIN.rawValue) != 0
        self.timeout = flags & UInt32(PEAL_REMOVE_WAIT.rawValue) != 0 ? timeout : nil
    }
}

extension Registration {
    private mutating func includeLaterMethods() throws(Failure) {
        guard case .handler = functions else {
            throw Failure(
                .argument,
                "PEAL_OBSERVE_LATER_METHODS is for a handler of all methods; use peal_observe_handler without names")
        }
        options.insert(.includesLater)
    }

    private mutating func retainByFunctions() throws(Failure) {
        guard weak != nil else {
            throw Failure(.argument, "PEAL_OBSERVE_RETAINS is for a weak target; set `weak` or `reference`")
        }
        weak?.isRetainedByFunctions = true
    }
}

extension Boundary {
    private static var maximumCount: Int { 65_536 }

    /// Checks the number of names of methods. NULL means all methods.
    static func checkNames(
        _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
    ) throws(Failure) {
        guard names != nil else {
            guard count == 0 else { throw .null("methods") }
            return
        }
        let count = CallerSize.clamped(count)
        guard count <= maximumCount else {
            throw Failure(.argument, "there are \(count) names of methods; give as many as `methods` has")
        }
        try Registration.checkHandled(count)
    }

    @inline(__always)
    static func checkBindings(_ bindings: UnsafePointer<peal_binding>?, _ count: Int) throws(Failure) {
        if count != 0, bindings == nil { throw .null("bindings") }
        let count = CallerSize.clamped(count)
        guard count <= maximumCount else {
            throw Failure(.argument, "there are \(count) bindings; \(maximumCount) at most")
        }
    }
}
