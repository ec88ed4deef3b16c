internal import CPealSupport
import PealCall

/// Calls of one target.
extension ProxyCall {
    /// Calls the target if it is alive. The target is retained meanwhile, and a thread that waits for its calls waits
    /// for this one.
    func callTarget(_ carrier: Carrier, _ result: UnsafeMutableRawPointer) {
        do throws(Failure) {
            let failure = try Self.withTarget(element, id) { target in call(target, carrier, result) }
            if let failure, let failure { throw failure }
        } catch {
            ProxyFailures.note(error)
        }
    }

    /// Passes up to four integers to a target that has the function.
    @inline(never)
    static func integersToTarget(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ hazard: Broadcast.Hazard,
        _ element: UnsafeMutablePointer<peal_proxy_element>
    ) -> UInt64 {
        var result = UInt64(0)
        let isCalled = callFast(element, id, index, hazard) { function, target in
            result = unsafeBitCast(function, to: FourIntegersOne.self)(target, a, b, c, d)
        }
        return isCalled ? result : integersSlow(id, a, b, c, d, index, nil)
    }

    /// Passes up to four integers and two floating-point numbers to a target that has the function.
    @inline(never)
    static func numbersToTarget(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double,
        _ hazard: Broadcast.Hazard, _ element: UnsafeMutablePointer<peal_proxy_element>
    ) -> peal_thunk_number {
        var result = peal_thunk_number()
        let isCalled = callFast(element, id, index, hazard) { function, target in
            result = unsafeBitCast(function, to: NumbersOne.self)(target, a, b, c, d, x, y)
        }
        return isCalled ? result : numbersSlow(id, a, b, c, d, index, x, y, nil)
    }

    /// Passes any other frame to a target that has the function.
    @inline(never)
    static func frameToTarget(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ hazard: Broadcast.Hazard,
        _ result: UnsafeMutablePointer<peal_thunk_result>, _ element: UnsafeMutablePointer<peal_proxy_element>,
        _ plan: CallPlan.Pointer, _ shape: FrameShape
    ) -> Bool {
        var room = peal_result_room()
        return withUnsafeMutablePointer(to: &room) { room in
            let isCalled = callFast(element, words[0], UInt64(index), hazard) { function, target in
                CallPlan.callWithFrame(
                    plan, shape: shape, function: function, target: target, words: words, result: room)
            }
            guard isCalled else { return frameSlow(words, index, nil, result) }
            result.initialize(to: peal_thunk_result(room, in: plan.pointee.resultLocation))
            return true
        }
    }

    /// Calls a target that has the function, unless the target is dead.
    ///
    /// - Returns: False if the slow path is needed; no list is protected then.
    @inline(__always)
    private static func callFast(
        _ element: UnsafeMutablePointer<peal_proxy_element>, _ id: UInt64, _ index: UInt64, _ hazard: Broadcast.Hazard,
        _ call: (@escaping @convention(c) () -> Void, UnsafeMutableRawPointer?) -> Void
    ) -> Bool {
        let list = Broadcast.List(
            peal_hazard_protect_fast(hazard, peal_proxy_list_element(element), UInt(PEAL_HAZARD_OF_LIBRARY)))
        let entry = peal_snapshot_entries(list)
        guard peal_snapshot_method(list) == id, peal_snapshot_count(list) == 1,
            let function = peal_proxy_target_function(peal_proxy_target_of(entry.pointee.record), index)
        else {
            Broadcast.release(hazard)
            return false
        }
        let gate = entry.pointee.gate
        peal_current_set(peal_hazard_current(hazard), gate)
        let isOpen = _fastPath(peal_gate_load(gate) == 0)
        let isAlive = isOpen || ObserverGate.admit(entry, hazard) != nil
        peal_order_see_published()
        if isAlive { call(function, entry.pointee.target) }
        if !isOpen { WeakHold.release(hazard) }
        peal_order_end()
        Broadcast.release(hazard)
        if !isAlive { Handles.proxies.find(id)?.endTarget() }
        return true
    }

    /// - Returns: nil if the target is dead, and was not called.
    private static func withTarget<Value>(
        _ element: UnsafeMutablePointer<peal_proxy_element>, _ id: UInt64, _ body: (ProxyTarget.Pointer) -> Value
    ) throws(Failure) -> Value? {
        guard peal_thread_current() != nil else { throw .outOfMemory }
        let list: Broadcast.List
        let hazard: Broadcast.Hazard
        if let outermost = peal_hazard_outermost() {
            hazard = outermost
            list = Broadcast.List(
                peal_hazard_protect_fast(hazard, peal_proxy_list_element(element), UInt(PEAL_HAZARD_OF_LIBRARY)))
        } else {
            guard let slot = peal_hazard_protect_slow(peal_proxy_list_element(element), UInt(PEAL_HAZARD_OF_LIBRARY))
            else {
                throw peal_thread_is_full() ? .tooDeepForProxy : .outOfMemory
            }
            hazard = slot
            list = Broadcast.list(hazard)
        }
        guard peal_snapshot_method(list) == id else {
            Broadcast.release(hazard)
            throw .staleSelf
        }
        var value: Value?
        // The list has no entry if the target was found dead before.
        let count = Int(peal_snapshot_count(list))
        let called = FrameReplay.eachEntry(peal_snapshot_entries(list), count, hazard) { entry in
            value = body(peal_proxy_target_of(entry.pointee.record))
            return true
        }
        peal_order_end()
        Broadcast.release(hazard)
        if count > 0, called == 0 { Handles.proxies.find(id)?.endTarget() }
        return value
    }

    /// Returns true if calls of a proxy that broadcasts reach observers: it has not ended, and neither has its protocol.
    static func isOpen(_ id: UInt64) -> Bool {
        guard let element = peal_proxy_find(id) else { return false }
        let proto = peal_proxy_protocol(element)
        return peal_proxy_is_of(element, id) && Handles.protocols.has(proto)
    }

    static func reachesTarget(_ id: UInt64) -> Bool {
        guard let element = peal_proxy_find(id) else { return false }
        do throws(Failure) {
            return try withTarget(element, id) { _ in true } ?? false
        } catch {
            // If the thread is nested too deeply for a test, the target counts as alive: it was not found dead.
            return error.kind != .handle
        }
    }

    /// - Returns: The reason why no target was called.
    private func call(
        _ target: ProxyTarget.Pointer, _ carrier: Carrier, _ result: UnsafeMutableRawPointer
    ) -> Failure? {
        let pointer = target.pointee.record.target
        if let function = peal_proxy_target_function(target, index) {
            call(function, pointer, carrier, result)
            return nil
        }
        do throws(Failure) {
            if let resolve = target.pointee.resolve,
                let function = try ProxyStage.run({ resolve(pointer, method) })
            {
                peal_proxy_target_set_function(target, index, function)
                call(function, pointer, carrier, result)
                return nil
            }
            if let (function, other) = try redirection(of: target) {
                call(function, other, carrier, result)
                return nil
            }
        } catch {
            return error
        }
        return invoke(target, carrier, result)
    }

    private func call(
        _ function: @escaping @convention(c) () -> Void, _ target: UnsafeMutableRawPointer?, _ carrier: Carrier,
        _ result: UnsafeMutableRawPointer
    ) {
        let size = plan.pointee.resultSize
        withUnsafeTemporaryAllocation(byteCount: max(CallPlan.smallResultSize, size), alignment: 16) { room in
            let room = room.baseAddress.unsafelyUnwrapped
            switch carrier {
            case .words(let words, _):
                guard let shape = plan.pointee.frame else { return }
                CallPlan.callWithFrame(
                    plan, shape: shape, function: function, target: target, words: words, result: room)
            case .pointers(let arguments):
                guard let arguments else { return }
                SingleCall(plan: plan, arguments: UnsafeMutablePointer(mutating: arguments), result: room)
                    .run(function, target: target)
            }
            result.copyMemory(from: room, byteCount: size)
        }
    }

    /// Returns the function of another target, if `redirect` names a target that has the function.
    private func redirection(
        of target: ProxyTarget.Pointer
    ) throws(Failure) -> (function: @convention(c) () -> Void, target: UnsafeMutableRawPointer?)? {
        guard let redirect = target.pointee.redirect, let path else { return nil }
        typealias Redirection = (target: UnsafeMutableRawPointer?, table: UnsafeRawPointer?)
        var other: Redirection = (nil, nil)
        let isNamed = try ProxyStage.run {
            withUnsafeMutablePointer(to: &other) { redirect(target.pointee.record.target, method, $0) }
        }
        guard isNamed, let table = other.table, let function = ProxyTable.function(at: path, in: table) else {
            return nil
        }
        return (unsafeBitCast(function, to: (@convention(c) () -> Void).self), other.target)
    }

    /// Runs the last stage, which receives the call as an invocation.
    private func invoke(
        _ target: ProxyTarget.Pointer, _ carrier: Carrier, _ result: UnsafeMutableRawPointer
    ) -> Failure? {
        guard let invoke = target.pointee.invoke else { return .abandoned(method) }
        guard let called = Handles.methods.find(method) else { return .methodEnded }
        var failure: Failure?
        called.copyPlan.withArguments(of: carrier) { arguments in
            do throws(Failure) {
                guard let id = try Invocation.make(method, arguments: arguments, count: called.parameterCount)
                else { throw .methodEnded }
                defer { try? Invocation.end(id) }
                let invocation = try Invocation.find(id)
                try ProxyStage.run { invoke(target.pointee.record.target, id) }
                if called.resultSize > 0 { try invocation.readResult(into: result, size: called.resultSize) }
            } catch {
                failure = error
            }
        }
        return failure
    }
}

extension Failure {
    fileprivate static let tooDeepForProxy = Failure(
        .depth,
        "calls through proxies are nested \(PEAL_THREAD_DEPTH) deep on this thread; end the recursion of the proxy that reaches itself by a target or a redirection"
    )
    fileprivate static let methodEnded = Failure(
        .state, "the protocol of a proxied method has ended, with its center or its owner; destroy the proxy")

    fileprivate static func abandoned(_ method: UInt64) -> Failure {
        let title = Handles.methods.find(method)?.title ?? "a method"
        return Failure(
            .notFound,
            "\(title): the proxy's target lacks the method, and no stage handled the call; add the function to the table, or a stage that handles all calls"
        )
    }
}
