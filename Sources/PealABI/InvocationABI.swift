public import CPeal
internal import PealCore

@c @implementation
public func peal_invocation_create(
    _ method: peal_method, _ out_invocation: UnsafeMutablePointer<peal_invocation>?
) -> peal_status {
    if let out_invocation {
        out_invocation.pointee = peal_invocation(id: InvocationAccess.makeFast(method.id))
        if out_invocation.pointee.id != 0 { return PEAL_OK }
    }
    return Invocation.fill(out_invocation) { () throws(Failure) in try Invocation.make(method.id) }
}

@c @implementation
public func peal_invocation_create_with(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ out_invocation: UnsafeMutablePointer<peal_invocation>?
) -> peal_status {
    Invocation.fill(out_invocation) { () throws(Failure) in
        try Invocation.make(method.id, arguments: arguments, count: CallerSize.clamped(argument_count))
    }
}

@c @implementation
public func peal_invocation_duplicate(
    _ invocation: peal_invocation, _ out_invocation: UnsafeMutablePointer<peal_invocation>?
) -> peal_status {
    Invocation.fill(out_invocation) { () throws(Failure) in try invocation.find().duplicate() }
}

@c @implementation
public func peal_invocation_destroy(_ invocation: peal_invocation) -> peal_status {
    InvocationAccess.endFast(invocation.id) ? PEAL_OK : endSlow(invocation)
}

@inline(never)
private func endSlow(_ invocation: peal_invocation) -> peal_status {
    Boundary.status { () throws(Failure) in try Invocation.end(invocation.id) }
}

@c @implementation
public func peal_invocation_method(
    _ invocation: peal_invocation, _ out_method: UnsafeMutablePointer<peal_method>?
) -> peal_status {
    out_method?.pointee = peal_method(id: 0)
    return Boundary.status { () throws(Failure) in
        guard let out_method else { throw .null("out_method") }
        out_method.pointee = peal_method(id: try invocation.find().method.id)
    }
}

@c @implementation
public func peal_invocation_set_argument(
    _ invocation: peal_invocation, _ index: Int, _ value: UnsafeRawPointer?, _ size: Int
) -> peal_status {
    if let value, InvocationAccess.setFast(invocation.id, index, value, size) { return PEAL_OK }
    return setSlow(invocation, index, value, size)
}

@inline(never)
private func setSlow(
    _ invocation: peal_invocation, _ index: Int, _ value: UnsafeRawPointer?, _ size: Int
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let value else { throw .null("value") }
        try invocation.find().write(CallerSize.clamped(index), from: value, size: CallerSize.clamped(size))
    }
}

@c @implementation
public func peal_invocation_get_argument(
    _ invocation: peal_invocation, _ index: Int, _ out_value: UnsafeMutableRawPointer?, _ size: Int
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_value else { throw .null("out_value") }
        try invocation.find().read(CallerSize.clamped(index), into: out_value, size: CallerSize.clamped(size))
    }
}

@c @implementation
public func peal_invocation_set_argument_named(
    _ invocation: peal_invocation, _ name: UnsafePointer<CChar>?, _ value: UnsafeRawPointer?, _ size: Int
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let value else { throw .null("value") }
        let found = try invocation.find()
        let index = try found.method.parameterIndex(named: try CallerText.read(name, "name"))
        try found.write(index, from: value, size: CallerSize.clamped(size))
    }
}

@c @implementation
public func peal_invocation_get_argument_named(
    _ invocation: peal_invocation, _ name: UnsafePointer<CChar>?, _ out_value: UnsafeMutableRawPointer?, _ size: Int
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_value else { throw .null("out_value") }
        let found = try invocation.find()
        let index = try found.method.parameterIndex(named: try CallerText.read(name, "name"))
        try found.read(index, into: out_value, size: CallerSize.clamped(size))
    }
}

@c @implementation
public func peal_invocation_retain_arguments(_ invocation: peal_invocation) -> peal_status {
    Boundary.status { () throws(Failure) in try invocation.find().retainArguments() }
}

@c @implementation
public func peal_invocation_retains_arguments(_ invocation: peal_invocation) -> Bool {
    Invocation.retainsArguments(invocation.id)
}

@c @implementation
public func peal_invocation_invoke(_ invocation: peal_invocation, _ observation: peal_observation) -> peal_status {
    Boundary.status { () throws(Failure) in try invocation.find().invoke(on: try observation.find()) }
}

@c @implementation
public func peal_invocation_invoke_function(
    _ invocation: peal_invocation, _ target: UnsafeMutableRawPointer?, _ function: peal_function?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let function else { throw .null("function") }
        try invocation.find().invoke(function, target: target)
    }
}

@c @implementation @_optimize(speed)
public func peal_invocation_broadcast(
    _ invocation: peal_invocation, _ options: UnsafePointer<peal_send_options>?,
    _ out_result: UnsafeMutableRawPointer?, _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    guard options == nil, out_result == nil else { return broadcastSlow(invocation, options, out_result, out_calls) }
    let answer: StatusAnswer = InvocationAccess.broadcast(invocation.id, out_calls)
    return answer.status
}

extension StatusAnswer: InvocationAnswer {
    static func broadcastSlow(_ id: UInt64, _ calls: UnsafeMutablePointer<Int>?) -> StatusAnswer {
        StatusAnswer(status: PealABI.broadcastSlow(peal_invocation(id: id), nil, nil, calls))
    }
}

@inline(never)
private func broadcastSlow(
    _ invocation: peal_invocation, _ options: UnsafePointer<peal_send_options>?, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    if options == nil, result == nil, let outcome = InvocationAccess.broadcastFast(invocation.id, calls: calls) {
        return outcome.remark
    }
    return Boundary.outcome { () throws(Failure) in
        let request = try BroadcastRequest(options, result: result)
        return try invocation.find().broadcast(request, calls: calls).remark
    }
}

@c @implementation
public func peal_invocation_get_result(
    _ invocation: peal_invocation, _ out_value: UnsafeMutableRawPointer?, _ size: Int
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_value else { throw .null("out_value") }
        try invocation.find().readResult(into: out_value, size: CallerSize.clamped(size))
    }
}

@c @implementation
public func peal_invocation_set_result(
    _ invocation: peal_invocation, _ value: UnsafeRawPointer?, _ size: Int
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let value else { throw .null("value") }
        try invocation.find().writeResult(from: value, size: CallerSize.clamped(size))
    }
}

extension Invocation {
    /// Makes an invocation for a caller, who owns it from then on. `make` returns nil if the method's id is stale.
    fileprivate static func fill(
        _ out_invocation: UnsafeMutablePointer<peal_invocation>?, _ make: () throws(Failure) -> UInt64?
    ) -> peal_status {
        out_invocation?.pointee = peal_invocation(id: 0)
        return Boundary.making { () throws(Failure) in
            guard let out_invocation else { throw .null("out_invocation") }
            guard let id = try make() else { throw peal_method.stale }
            out_invocation.pointee = peal_invocation(id: id)
        }
    }
}
