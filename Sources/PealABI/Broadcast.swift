public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_send(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ out_result: UnsafeMutableRawPointer?, _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    guard let place = peal_directory_find(method.number) else {
        return sendTheWholeWay(method, arguments, argument_count, out_result, out_calls)
    }
    if Broadcast.isHeardByNobody(place, arguments, argument_count, out_result, method.number) {
        if let out_calls { out_calls.pointee = 0 }
        return PEAL_OK
    }
    return sendToObservers(place, arguments, argument_count, out_result, out_calls, method)
}

// Each step calls the next with its own arguments, as the last thing it does: the way there is a jump, and
// nothing is saved on it.

@inline(never)
private func sendToObservers(
    _ place: UnsafeMutablePointer<peal_directory_place>, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    switch Broadcast.sendShortly(place, arguments, count, result, calls, method.number) {
    case .done: PEAL_OK
    case .held(let snapshot): sendHeld(snapshot, arguments, count, result, calls, method)
    case .closed: sendTheWholeWay(method, arguments, count, result, calls)
    }
}

@inline(never)
private func sendHeld(
    _ snapshot: UnsafeMutablePointer<peal_snapshot>, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?, _ method: peal_method
) -> peal_status {
    let outcome = Broadcast.send(held: snapshot, arguments, count, result, calls, method.number)
    return outcome == .done ? PEAL_OK : outcome.status()
}

@inline(never)
private func sendTheWholeWay(
    _ method: peal_method, _ arguments: Broadcast.Arguments?, _ count: Int,
    _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    let outcome = Broadcast.send(
        method.number, arguments: arguments, count: count, result: result, calls: calls)
    return outcome == .done ? PEAL_OK : outcome.status()
}

@c @implementation
public func peal_send_with(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ options: UnsafePointer<peal_send_options>?, _ out_result: UnsafeMutableRawPointer?,
    _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let request = try BroadcastRequest(options, result: out_result)
        let outcome = Broadcast.send(
            method.number, arguments: arguments, count: argument_count, request: request, calls: out_calls)
        return outcome == .done ? PEAL_OK : outcome.status(policy: request.policy)
    }
}

@c @implementation
public func peal_entries_begin(_ method: peal_method) -> peal_entries {
    var held: UnsafeMutablePointer<peal_snapshot>?
    guard let entries = Broadcast.beginShortly(method.number, held: &held) else {
        return beginTheLongWay(method, held)
    }
    return peal_entries(entries.next, entries.end)
}

@inline(never)
private func beginTheLongWay(
    _ method: peal_method, _ held: UnsafeMutablePointer<peal_snapshot>?
) -> peal_entries {
    let entries = Broadcast.begin(method.number, held: held)
    if entries.outcome != .done { _ = entries.outcome.status() }
    return peal_entries(entries.next, entries.end)
}

extension peal_entries {
    /// The library's entries are laid out as the interface's.
    fileprivate init(_ next: UnsafePointer<peal_snapshot_entry>?, _ end: UnsafePointer<peal_snapshot_entry>?) {
        self.init(
            next: UnsafeRawPointer(next)?.assumingMemoryBound(to: peal_entry.self),
            end: UnsafeRawPointer(end)?.assumingMemoryBound(to: peal_entry.self))
    }
}

@c @implementation
public func peal_entry_admit(_ entry: UnsafePointer<peal_entry>?) -> Bool {
    guard let entry else { return false }
    return Broadcast.admit(UnsafeRawPointer(entry).assumingMemoryBound(to: peal_snapshot_entry.self))
}

@c @implementation
public func peal_entries_end() {
    Broadcast.end()
}

extension Broadcast.Outcome {
    /// The status; for a failure also the thread's sentence.
    @inline(never)
    fileprivate func status(policy: BroadcastPolicy? = nil) -> peal_status {
        if let failure = BroadcastFailure.last(self, policy: policy) { return Boundary.fail(failure) }
        return self == .deferred ? PEAL_DEFERRED : self == .truncated ? PEAL_TRUNCATED : PEAL_OK
    }
}

extension BroadcastRequest {
    fileprivate init(
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
