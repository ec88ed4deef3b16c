public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation @_optimize(speed)
public func peal_send(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ out_result: UnsafeMutableRawPointer?, _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    let answer: StatusAnswer = Broadcast.send(method.id, arguments, argument_count, out_result, out_calls)
    return answer.status
}

@c @implementation
public func peal_send_with(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ options: UnsafePointer<peal_send_options>?, _ out_result: UnsafeMutableRawPointer?,
    _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    // The rare paths are functions of their own, to which this one jumps without saving registers.
    if let options {
        if foldsAlone(options) {
            return sendFolding(method, arguments, argument_count, options, out_result, out_calls)
        }
        if out_result == nil, forcesFFIAlone(options) {
            return sendForcingFFI(method, arguments, argument_count, options, out_result, out_calls)
        }
    }
    return sendWithOptions(method, arguments, argument_count, options, out_result, out_calls)
}

@inline(never)
private func sendFolding(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ options: UnsafePointer<peal_send_options>, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    if let fold = options.pointee.fold {
        let tail = FoldedInteger(fold: fold, context: options.pointee.fold_context, accumulator: result)
        let isRequested = options.pointee.policy == PEAL_POLICY_FOLD
        if ResultBroadcast.sendFolding(method.id, arguments, count, tail, isRequested: isRequested, calls) {
            return PEAL_OK
        }
    }
    return sendWithOptions(method, arguments, count, options, result, calls)
}

@inline(never)
private func sendForcingFFI(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ options: UnsafePointer<peal_send_options>, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    let answer: StatusAnswer? = Broadcast.sendForcingFFI(method.id, arguments, count, calls)
    return answer?.status ?? sendWithOptions(method, arguments, count, options, result, calls)
}

@inline(never) @_optimize(speed)
private func sendWithOptions(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ options: UnsafePointer<peal_send_options>?, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let request = try BroadcastRequest(options, result: result)
        let outcome = Broadcast.send(
            method.id, arguments: arguments, count: CallerSize.clamped(count), request: request, calls: calls)
        return outcome == .done ? PEAL_OK : outcome.status(policy: request.policy)
    }
}

/// Returns true if the options request `ffi_call` and nothing else. (A default result and a context have no meaning
/// without a result and a fold.)
@inline(__always)
private func forcesFFIAlone(_ options: UnsafePointer<peal_send_options>) -> Bool {
    // Only the size is read before its test, because a structure with a smaller size may be shorter.
    guard Boundary.size(of: options) == MemoryLayout<peal_send_options>.size else { return false }
    return options.pointee.flags == UInt32(PEAL_SEND_FFI_CALL.rawValue)
        && options.pointee.policy == PEAL_POLICY_METHOD && leavesCalls(options)
}

/// Returns true if the options leave the calls as they are without options.
@inline(__always)
private func leavesCalls(_ options: UnsafePointer<peal_send_options>) -> Bool {
    options.pointee.except.id | options.pointee.origin | options.pointee.memory.id == 0
}

/// Returns true if the options request a fold, by the method's policy or instead of it, and nothing else.
@inline(__always)
private func foldsAlone(_ options: UnsafePointer<peal_send_options>) -> Bool {
    // As above, the size is tested first.
    guard Boundary.size(of: options) == MemoryLayout<peal_send_options>.size, options.pointee.fold != nil else {
        return false
    }
    let policy = options.pointee.policy
    return (policy == PEAL_POLICY_METHOD || policy == PEAL_POLICY_FOLD) && options.pointee.flags == 0
        && leavesCalls(options)
}

/// Other attributes than those of the next function. The compiler would otherwise make one function of both, to which each
/// jumps.
@c @implementation @_optimize(size)
public func peal_entries_begin(_ method: peal_method) -> peal_entries {
    var occupied: Broadcast.Hazard?
    guard let entries = Broadcast.beginFast(method.id, occupied: &occupied) else {
        return beginSlow(method, occupied, reachesQueues: false)
    }
    return peal_entries(entries)
}

@c @implementation @_optimize(speed)
public func peal_entries_begin_all(_ method: peal_method) -> peal_entries {
    var occupied: Broadcast.Hazard?
    guard let entries = Broadcast.beginFast(method.id, occupied: &occupied) else {
        return beginSlow(method, occupied, reachesQueues: true)
    }
    return peal_entries(entries)
}

@inline(never)
private func beginSlow(
    _ method: peal_method, _ occupied: Broadcast.Hazard?, reachesQueues: Bool
) -> peal_entries {
    peal_order_see_published()
    do throws(Broadcast.Outcome) {
        return peal_entries(try Broadcast.begin(method.id, occupied: occupied, reachesQueues: reachesQueues))
    } catch {
        _ = error.status()
        return peal_entries()
    }
}

extension peal_entries {
    @inline(__always)
    fileprivate init(_ entries: Broadcast.Entries) {
        self.init(next: entries.next, hazard: peal_hazard_shown(entries.hazard))
    }
}

@c @implementation
public func peal_entry_admit(
    _ entry: UnsafePointer<peal_entry>?, _ hazard: UnsafeMutablePointer<peal_hazard>?
) -> peal_admission {
    guard let hazard else { return peal_admission() }
    let step = Broadcast.step(at: entry, peal_hazard_of_shown(hazard))
    return peal_admission(entry: step.called, next: step.next)
}

@c @implementation
public func peal_entries_end() {
    let outcome = Broadcast.end()
    if outcome != .done { _ = outcome.status() }
}

@c @implementation @_optimize(speed)
public func peal_entries_ended(_ hazard: UnsafeMutablePointer<peal_hazard>?) {
    guard let hazard else { return }
    let outcome = Broadcast.ended(peal_hazard_of_shown(hazard))
    if outcome != .done { _ = outcome.status() }
}

extension BroadcastRequest {
    @inline(__always)
    init(
        _ options: UnsafePointer<peal_send_options>?, result: UnsafeMutableRawPointer?
    ) throws(Failure) {
        self.init(result: result)
        guard let options else { return }
        // Only the size is read before its test, because a structure with a smaller size may be shorter.
        guard Boundary.size(of: options) == MemoryLayout<peal_send_options>.size else {
            throw Boundary.wrongSize(of: options, named: "the options of a broadcast")
        }
        guard options.pointee.flags & ~UInt32(PEAL_SEND_FFI_CALL.rawValue) == 0 else {
            throw Failure(
                .argument,
                "the flags of a broadcast have bits that this library does not define; use those of enum peal_send_flags"
            )
        }
        if options.pointee.policy != PEAL_POLICY_METHOD {
            guard let policy = BroadcastPolicy(rawValue: UInt8(clamping: options.pointee.policy.rawValue)) else {
                throw Failure(
                    .policy,
                    "\(Int32(truncatingIfNeeded: options.pointee.policy.rawValue)) is no policy; use those of enum peal_policy"
                )
            }
            self.policy = policy
        }
        defaultResult = options.pointee.default_result
        fold = options.pointee.fold
        foldContext = options.pointee.fold_context
        forcesFFI = options.pointee.flags & UInt32(PEAL_SEND_FFI_CALL.rawValue) != 0
        excepted = options.pointee.except.id
        origin = options.pointee.origin
        memory = options.pointee.memory.id
        if memory != 0 { try Reference.object(of: memory) }
    }
}
