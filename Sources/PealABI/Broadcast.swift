public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_send(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ out_result: UnsafeMutableRawPointer?, _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    guard let place = peal_directory_find(method.number) else {
        return sendSlowly(method, arguments, argument_count, out_result, out_calls)
    }
    if Broadcast.isHeardByNobody(place, arguments, argument_count, out_result, method.number) {
        if let out_calls { out_calls.pointee = 0 }
        return PEAL_OK
    }
    guard let hold = peal_hold_outermost() else {
        return sendSlowly(method, arguments, argument_count, out_result, out_calls)
    }
    let list = Broadcast.List(peal_hold_shortly(hold, place, UInt(PEAL_HOLD_OF_LIBRARY)))
    return sendHeld(hold, list, arguments, argument_count, out_result, out_calls, method)
}

// Each step calls the next with its own arguments, as the last thing it does: the way there is a jump, and
// nothing is saved on it.

@inline(never)
private func sendSlowly(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    do throws(Broadcast.Outcome) {
        let hold = try Broadcast.hold(method.number, arguments, count)
        return sendHeld(hold, Broadcast.list(hold), arguments, count, result, calls, method)
    } catch {
        return error.status()
    }
}

@inline(__always)
private func sendHeld(
    _ hold: Broadcast.Hold, _ list: Broadcast.List, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    switch Broadcast.path(list, count, result, method.number) {
    case .integers: sendIntegers(hold, list, arguments, count, calls, method)
    case .registers: sendInRegisters(hold, list, arguments, count, calls, method)
    case .stack: sendOnStack(hold, list, arguments, count, calls, method)
    case .ffi: sendThroughFFI(hold, list, arguments, count, calls, method)
    case .general: sendGenerally(hold, arguments, count, result, calls, method)
    }
}

@inline(never)
private func sendIntegers(
    _ hold: Broadcast.Hold, _ list: Broadcast.List, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    Broadcast.sendIntegers(hold, list, arguments, count, calls)
        ? PEAL_OK : sendGenerally(hold, arguments, count, nil, calls, method)
}

@inline(never)
private func sendInRegisters(
    _ hold: Broadcast.Hold, _ list: Broadcast.List, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    Broadcast.sendInRegisters(hold, list, arguments, calls)
        ? PEAL_OK : sendGenerally(hold, arguments, count, nil, calls, method)
}

@inline(never)
private func sendOnStack(
    _ hold: Broadcast.Hold, _ list: Broadcast.List, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    Broadcast.sendOnStack(hold, list, arguments, calls)
        ? PEAL_OK : sendGenerally(hold, arguments, count, nil, calls, method)
}

@inline(never)
private func sendThroughFFI(
    _ hold: Broadcast.Hold, _ list: Broadcast.List, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    Broadcast.sendThroughFFI(hold, list, arguments, calls)
        ? PEAL_OK : sendGenerally(hold, arguments, count, nil, calls, method)
}

@inline(never)
private func sendGenerally(
    _ hold: Broadcast.Hold, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    let outcome = Broadcast.sendGenerally(hold, arguments, count, result, calls, method.number)
    return outcome == .done ? PEAL_OK : outcome.status()
}

@c @implementation
public func peal_send_with(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ options: UnsafePointer<peal_send_options>?, _ out_result: UnsafeMutableRawPointer?,
    _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    if out_result == nil, let options, forcesFFIAlone(options),
        let status = sendForced(method, arguments, argument_count, out_calls)
    {
        return status
    }
    return sendAsAsked(method, arguments, argument_count, options, out_result, out_calls)
}

/// The plain `ffi_call` loop, where that is all that is asked for.
///
/// - Returns: nil where it is not, and nothing was done.
@inline(__always)
private func sendForced(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ calls: UnsafeMutablePointer<Int>?
) -> peal_status? {
    guard let place = peal_directory_find(method.number), let hold = peal_hold_outermost() else { return nil }
    if Broadcast.isHeardByNobody(place, arguments, count, nil, method.number) {
        if let calls { calls.pointee = 0 }
        return PEAL_OK
    }
    let list = Broadcast.List(peal_hold_shortly(hold, place, UInt(PEAL_HOLD_OF_LIBRARY)))
    guard Broadcast.isPlain(list, count, method.number) else {
        Broadcast.release(hold)
        return nil
    }
    return sendThroughFFI(hold, list, arguments, count, calls, method)
}

@inline(never)
private func sendAsAsked(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ options: UnsafePointer<peal_send_options>?, _ result: UnsafeMutableRawPointer?,
    _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let request = try BroadcastRequest(options, result: result)
        let outcome = Broadcast.send(
            method.number, arguments: arguments, count: count, request: request, calls: calls)
        return outcome == .done ? PEAL_OK : outcome.status(policy: request.policy)
    }
}

/// Whether nothing but `ffi_call` is asked for. (A default result and a context mean nothing without a
/// result and a fold.)
@inline(__always)
private func forcesFFIAlone(_ options: UnsafePointer<peal_send_options>) -> Bool {
    // The size alone first: what calls itself shorter may be.
    guard Boundary.size(of: options) == MemoryLayout<peal_send_options>.size else { return false }
    return options.pointee.flags == UInt32(PEAL_SEND_FFI_CALL.rawValue)
        && options.pointee.policy == PEAL_POLICY_METHOD
}

@c @implementation
public func peal_entries_begin(_ method: peal_method) -> peal_entries {
    var held: Broadcast.Hold?
    guard let entries = Broadcast.beginShortly(method.number, held: &held) else {
        return beginTheLongWay(method, held, reachesQueues: false)
    }
    return peal_entries(entries)
}

@c @implementation
public func peal_entries_begin_all(_ method: peal_method) -> peal_entries {
    var held: Broadcast.Hold?
    guard let entries = Broadcast.beginShortly(method.number, held: &held) else {
        return beginTheLongWay(method, held, reachesQueues: true)
    }
    return peal_entries(entries)
}

@inline(never)
private func beginTheLongWay(
    _ method: peal_method, _ held: Broadcast.Hold?, reachesQueues: Bool
) -> peal_entries {
    do throws(Broadcast.Outcome) {
        return peal_entries(try Broadcast.begin(method.number, held: held, reachesQueues: reachesQueues))
    } catch {
        _ = error.status()
        return peal_entries()
    }
}

extension peal_entries {
    /// The library's entries and holds are laid out as the interface's.
    @inline(__always)
    fileprivate init(_ entries: Broadcast.Entries) {
        self.init(
            next: UnsafeRawPointer(entries.next)?.assumingMemoryBound(to: peal_entry.self),
            hold: UnsafeMutableRawPointer(entries.hold)?.assumingMemoryBound(to: peal_hold.self))
    }
}

@c @implementation
public func peal_entry_admit(
    _ entry: UnsafePointer<peal_entry>?, _ hold: UnsafeMutablePointer<peal_hold>?
) -> peal_admission {
    guard let entry, let hold else { return peal_admission() }
    let step = Broadcast.step(
        at: UnsafeRawPointer(entry).assumingMemoryBound(to: peal_snapshot_entry.self),
        UnsafeMutableRawPointer(hold).assumingMemoryBound(to: peal_thread_hold.self))
    return peal_admission(
        entry: UnsafeRawPointer(step.called)?.assumingMemoryBound(to: peal_entry.self),
        next: UnsafeRawPointer(step.next)?.assumingMemoryBound(to: peal_entry.self))
}

@c @implementation
public func peal_entries_end() {
    let outcome = Broadcast.end()
    if outcome != .done { _ = outcome.status() }
}

@c @implementation
public func peal_entries_ended(_ hold: UnsafeMutablePointer<peal_hold>?) {
    guard let hold else { return }
    let outcome = Broadcast.ended(UnsafeMutableRawPointer(hold).assumingMemoryBound(to: peal_thread_hold.self))
    if outcome != .done { _ = outcome.status() }
}

extension Broadcast.Outcome {
    /// The status; for a failure also the thread's sentence.
    @inline(never)
    func status(policy: BroadcastPolicy? = nil) -> peal_status {
        if let failure = BroadcastFailure.last(self, policy: policy) { return Boundary.fail(failure) }
        return remark
    }

    /// The status of one that is no failure.
    var remark: peal_status {
        switch self {
        case .deferred: PEAL_DEFERRED
        case .truncated: PEAL_TRUNCATED
        case .rejected: PEAL_REJECTED
        default: PEAL_OK
        }
    }
}

extension BroadcastRequest {
    init(
        _ options: UnsafePointer<peal_send_options>?, result: UnsafeMutableRawPointer?
    ) throws(Failure) {
        self.init(result: result)
        guard let options else { return }
        let given = try Boundary.options(
            options, named: "the options of a broadcast", default: peal_send_options())
        guard given.flags & ~UInt32(PEAL_SEND_FFI_CALL.rawValue) == 0 else {
            throw Failure(.argument, "the flags of a broadcast have bits that this library does not know; use those of enum peal_send_flags")
        }
        if given.policy != PEAL_POLICY_METHOD {
            guard let policy = BroadcastPolicy(rawValue: UInt8(clamping: given.policy.rawValue)) else {
                throw Failure(.policy, "\(Int32(truncatingIfNeeded: given.policy.rawValue)) is no policy; use those of enum peal_policy")
            }
            self.policy = policy
        }
        defaultResult = given.default_result
        fold = given.fold
        foldContext = given.fold_context
        forcesFFI = given.flags & UInt32(PEAL_SEND_FFI_CALL.rawValue) != 0
    }
}
