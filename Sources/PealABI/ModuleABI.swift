public import CPeal
internal import PealCore

@c @implementation
public func peal_module_register(
    _ center: peal_center, _ description: UnsafePointer<peal_module_description>?,
    _ out_module: UnsafeMutablePointer<peal_module>?
) -> peal_status {
    out_module?.pointee = peal_module(id: 0)
    return Boundary.status { () throws(Failure) in
        let (center, read) = try ModuleDescription.read(description, center)
        let module = try Mediator.register(read, in: center)
        out_module?.pointee = peal_module(id: module.id)
    }
}

@c @implementation
public func peal_module_remove(_ module: peal_module) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        Boundary.waited(try Mediator.remove(module.id), SeenCall.moduleIsInUse)
    }
}

@c @implementation
public func peal_modules_remove_class(
    _ center: peal_center, _ class_name: UnsafePointer<CChar>?, _ out_removed: UnsafeMutablePointer<Int>?
) -> peal_status {
    out_removed?.pointee = 0
    return Boundary.outcome { () throws(Failure) in
        let outcome = try center.find().modules().removeClass(try CallerText.read(class_name, "class_name"))
        out_removed?.pointee = outcome.count
        if let failure = outcome.failure { throw failure }
        return Boundary.waited(outcome.isWaited, SeenCall.moduleIsInUse)
    }
}

@c @implementation
public func peal_module_find(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ out_module: UnsafeMutablePointer<peal_module>?
) -> peal_status {
    out_module?.pointee = peal_module(id: 0)
    return Boundary.status { () throws(Failure) in
        guard let out_module else { throw .null("out_module") }
        let module = try center.find().modules().find(try CallerText.read(name, "name"))
        out_module.pointee = peal_module(id: module.id)
    }
}

@c @implementation
public func peal_modules_forward(_ proto: peal_protocol) -> peal_status {
    Boundary.making { () throws(Failure) in
        let proto = try proto.find()
        try proto.center.modules().forward(proto)
    }
}

@c @implementation
public func peal_modules_start(_ center: peal_center) -> peal_status {
    Boundary.making { () throws(Failure) in try center.find().modules().start() }
}

@c @implementation
public func peal_modules_stop(_ center: peal_center, _ timeout: UInt32) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        switch try center.find().modules().stopAll(timeout: timeout) {
        case .done: return PEAL_OK
        case .notWaited, .stillRuns: return Boundary.waited(false, SeenCall.moduleIsInUse)
        case .timedOut:
            throw Failure(
                .timeout,
                "the time limit has expired before all modules were stopped; the others are stopped without waiting")
        }
    }
}

@c @implementation
public func peal_modules_get_state(
    _ center: peal_center, _ out_state: UnsafeMutablePointer<peal_modules_state>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_state else { throw .null("out_state") }
        out_state.pointee = peal_modules_state(rawValue: try center.find().modules().phase.interfaceValue)
    }
}

@c @implementation
public func peal_module_get_info(_ module: peal_module, _ info: UnsafeMutablePointer<peal_module_info>?) -> peal_status
{
    Boundary.status { () throws(Failure) in
        guard let info else { throw .null("info") }
        _ = try Boundary.options(info, named: "the information about a module", default: peal_module_info())
        info.pointee.fill(try module.find().info)
    }
}

@c @implementation
public func peal_module_list(
    _ center: peal_center, _ out_modules: UnsafeMutablePointer<peal_module>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let modules = try center.find().modules().list
        return try Boundary.list(modules.map { peal_module(id: $0) }, out_modules, capacity, out_count)
    }
}

@c @implementation
public func peal_signal_bind(
    _ center: peal_center, _ signal: Int32, _ action: peal_signal_action, _ queue: peal_queue, _ timeout: UInt32
) -> peal_status {
    Boundary.making { () throws(Failure) in
        let center = try center.find()
        guard let action = SignalAction(rawValue: action.rawValue) else {
            throw Failure(
                .argument,
                "\(Int32(truncatingIfNeeded: action.rawValue)) is no action; use those of enum peal_signal_action")
        }
        try Signals.bind(
            signal, to: action, of: center, on: queue.id == 0 ? nil : try queue.find(), timeout: timeout)
    }
}

@c @implementation
public func peal_signal_remove_binding(_ center: peal_center, _ signal: Int32) -> peal_status {
    Boundary.status { () throws(Failure) in try Signals.unbind(signal, of: try center.find()) }
}

@c @implementation
public func peal_signals_bind_usual(_ center: peal_center, _ queue: peal_queue, _ timeout: UInt32) -> peal_status {
    Boundary.making { () throws(Failure) in
        try Signals.bindUsual(
            of: try center.find(), on: queue.id == 0 ? nil : try queue.find(), timeout: timeout)
    }
}

extension peal_module_info {
    fileprivate mutating func fill(_ info: ModuleInfo) {
        state = peal_module_state(rawValue: info.state.rawValue)
        priority = info.priority
        Self.copy(info.name, to: &name)
        Self.copy(info.className, to: &class_name)
        Self.copy(info.dependencies, to: &dependencies)
        order = info.order
        started_at = info.startedAt
        start_time = info.startTime
        stop_time = info.stopTime
        is_overdue = info.isOverdue
        Self.copy(info.lastFailure, to: &last_failure)
    }

    /// Swift imports an array member of a C struct as a tuple.
    private static func copy<Characters>(_ text: String, to characters: inout Characters) {
        withUnsafeMutableBytes(of: &characters) { bytes in
            guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return }
            Boundary.copy(text, to: start, capacity: bytes.count)
        }
    }
}
