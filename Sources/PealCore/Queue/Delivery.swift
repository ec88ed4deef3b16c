internal import CPealSupport
import PealCall

/// Enqueues the calls of a broadcast on the queues of its observers: one copy of the arguments, one item for each
/// queue.
enum Delivery {
    /// Makes a whole broadcast to a list whose observers all have queues, and releases the list.
    @inline(never)
    @_optimize(speed)
    static func send(
        _ hazard: Broadcast.Hazard, _ carrier: Carrier, _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Broadcast.Outcome {
        let list = Broadcast.list(hazard)
        do throws(Broadcast.Outcome) {
            let queued = try enqueue(list, carrier, nil, isIndexed: false)
            if let calls { calls.pointee = queued.calls }
            Broadcast.release(hazard)
            return queued.isRejected ? .rejected : .done
        } catch {
            if let calls { calls.pointee = 0 }
            let outcome = Broadcast.fail(error, id, carrier.pointers, peal_snapshot_parameter_count(list))
            Broadcast.release(hazard)
            return outcome
        }
    }

    /// Returns true if a list is the method's, all its observers have queues, and no other trait disables the fast path.
    @inline(__always)
    static func isEligible(for list: Broadcast.List, of id: UInt64) -> Bool {
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == id, peal_snapshot_count(list) == 0 else { return false }
        return MethodTraits(rawValue: peal_snapshot_traits(list)).isQueueFastPathEligible
    }

    /// - Returns: The number of calls that wait now, and whether a full queue refused some.
    @_optimize(speed)
    static func enqueue(
        _ list: Broadcast.List, _ carrier: Carrier
    ) throws(Broadcast.Outcome) -> (calls: Int, isRejected: Bool) {
        guard !list.isIndexed else { return try enqueueWithExtras(list, carrier, nil) }
        return try enqueue(list, carrier, nil, isIndexed: false)
    }

    /// The same for calls with extras or with indexed items. A function of its own, so that the other one does not test
    /// for them.
    @inline(never)
    static func enqueueWithExtras(
        _ list: Broadcast.List, _ carrier: Carrier, _ extras: CapturedCall.Extras?
    ) throws(Broadcast.Outcome) -> (calls: Int, isRejected: Bool) {
        try enqueue(list, carrier, extras, isIndexed: list.isIndexed)
    }

    @inline(__always)
    private static func enqueue(
        _ list: Broadcast.List, _ carrier: Carrier, _ extras: CapturedCall.Extras?, isIndexed: Bool
    ) throws(Broadcast.Outcome) -> (calls: Int, isRejected: Bool) {
        let groups = list.groups
        guard let copying = groups.first?.pointee.copying.assumingMemoryBound(to: CopyPlan.self) else {
            return (0, false)
        }
        let items = CapturedCall.Items(count: groups.count, areIndexed: isIndexed)
        let call = try CapturedCall.make(carrier, copying: copying, items: items, extras)
        var item = peal_call_items(call)
        var calls = 0
        var isRejected = false
        for group in groups {
            let count = peal_group_count(group)
            let called = extras.map { group.called(Int(count), besides: $0.excepted) } ?? Int(count)
            guard called > 0 else {
                CapturedCall.release(call, copying: group.pointee.copying)
                continue
            }
            let offset = UInt32(truncatingIfNeeded: UnsafeRawPointer(item) - UnsafeRawPointer(call))
            item.initialize(to: peal_item(next: nil, group: group, count: count, offset: offset))
            if let extras { extras.completion?.reserve(group.answering(Int(count), besides: extras.excepted)) }
            switch group.pointee.mailbox.push(item) {
            case .accepted:
                calls &+= called
                if let tapped = extras?.tapped { peal_tapped_enqueued(tapped, group.pointee.mailbox.pointee.id, count) }
            case .dropped: break
            case .rejected: isRejected = true
            }
            item = items.next(after: item)
        }
        return (calls, isRejected)
    }
}
