internal import CPealSupport
import PealCall

/// The callee of a call through a proxy. All members are loaded before the id is compared, and plans are never freed.
struct ProxyCall {
    let id: UInt64
    /// The index of the method in its proxy.
    let index: UInt64
    /// The method to broadcast; 0: a target is called.
    let broadcast: UInt64
    /// 0 for a function without a method.
    let method: UInt64
    let plan: CallPlan.Pointer
    let copying: CopyPlan.Pointer?
    let path: UnsafeRawPointer?
    let element: UnsafeMutablePointer<peal_proxy_element>

    /// - Returns: nil if the proxy has been destroyed.
    @inline(__always)
    static func find(_ id: UInt64, _ index: UInt64) -> ProxyCall? {
        guard let element = peal_proxy_find(id), let cell = peal_proxy_cell_at(element, index) else { return nil }
        let broadcast = peal_proxy_cell_broadcast(cell)
        let method = peal_proxy_cell_method(cell)
        let plan = peal_proxy_cell_plan(cell)
        let copying = peal_proxy_cell_copying(cell)
        let path = peal_proxy_cell_path(cell)
        guard peal_proxy_is_of(element, id), let plan else { return nil }
        return ProxyCall(
            id: id, index: index, broadcast: broadcast, method: method,
            plan: plan.assumingMemoryBound(to: CallPlan.self), copying: copying?.assumingMemoryBound(to: CopyPlan.self),
            path: path, element: element)
    }

    /// - Parameters:
    ///   - hazard: The slot of the method's list, if that is already protected.
    ///   - result: Receives the result. The caller must fill it with zeros, because a call that fails may leave it
    ///     unchanged.
    func run(_ carrier: Carrier, hazard: Broadcast.Hazard? = nil, result: UnsafeMutableRawPointer) {
        if broadcast == 0 { return callTarget(carrier, result) }
        let count = plan.pointee.parameterCount
        do throws(Broadcast.Outcome) {
            let hazard = if let hazard { hazard } else { try Broadcast.protect(broadcast, carrier.pointers, count) }
            let list = Broadcast.list(hazard)
            if Delivery.isEligible(for: list, of: broadcast) {
                let outcome = Delivery.send(hazard, carrier, nil, broadcast)
                if outcome.isFailure { throw outcome }
                return clear(result)
            }
            guard let copying else { return Broadcast.release(hazard) }
            copying.withArguments(of: carrier) { send($0, hazard, result) }
        } catch {
            fail(error, result)
        }
    }

    /// Broadcasts, as `peal_send` does.
    private func send(_ arguments: Broadcast.Arguments?, _ hazard: Broadcast.Hazard, _ result: UnsafeMutableRawPointer)
    {
        let count = plan.pointee.parameterCount
        do throws(Broadcast.Outcome) {
            let list = Broadcast.list(hazard)
            let policy = MethodTraits(rawValue: peal_snapshot_traits(list)).policy
            let wanted = plan.pointee.resultSize > 0 && policy != .all ? result : nil
            let outcome: Broadcast.Outcome = Broadcast.dispatch(hazard, list, arguments, count, wanted, nil, broadcast)
            if outcome.isFailure { throw outcome }
        } catch {
            fail(error, result)
        }
    }

    private func fail(_ outcome: Broadcast.Outcome, _ result: UnsafeMutableRawPointer) {
        clear(result)
        if let failure = BroadcastFailure.last(outcome) { ProxyFailures.note(failure) }
    }

    /// Fills the result with zeros, which a failed call returns.
    func clear(_ result: UnsafeMutableRawPointer) {
        guard plan.pointee.resultSize > 0 else { return }
        result.initializeMemory(as: UInt8.self, repeating: 0, count: plan.pointee.resultSize)
    }
}
