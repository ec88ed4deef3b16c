internal import CPealSupport
import PealCall

extension Delivery {
    /// Enqueues one call for some observers of one queue, with a copy of the arguments of its own. It replaces no waiting
    /// call of other observers that keep the latest call, and their next call does not replace it.
    ///
    /// - Parameter extras: The extras of a call that has some.
    static func enqueue(
        _ carrier: Carrier, of method: Method, for entries: some Collection<SnapshotEntry>,
        _ extras: CapturedCall.Extras? = nil
    ) throws(Broadcast.Outcome) -> Mailbox.Pushed {
        guard let group = try? ObserverGroup.make(for: method, of: entries, keepsLatest: false) else {
            throw .outOfMemory
        }
        defer { ObserverGroup.leave(group) }
        let call = try CapturedCall.make(
            carrier, copying: method.copyPlan,
            items: CapturedCall.Items(count: 1, areIndexed: group.pointee.is_indexed), extras)
        extras?.completion?.reserve(entries.count)
        let item = peal_call_items(call)
        let offset = UnsafeRawPointer(item) - UnsafeRawPointer(call)
        item.initialize(
            to: peal_item(next: nil, group: group, count: UInt32(entries.count), offset: UInt32(offset)))
        return group.pointee.mailbox.push(item)
    }
}

extension Observation {
    /// Calls this observer alone, on its queue if it has one, if it implements the method.
    ///
    /// - Returns: False if the queue refused the call, or memory was refused for it.
    func deliver(_ method: Method, _ arguments: Broadcast.Arguments?) -> Bool {
        guard methods.contains(where: { $0 === method }) else { return true }
        guard queue != nil else {
            callNow(method, arguments)
            return true
        }
        guard !ObserverGate.isEnding(gate),
            let listing = record.tables.listings.first(where: { $0.element == method.element })
        else { return true }
        let entry = CollectionOfOne(listing.entry(of: record))
        do throws(Broadcast.Outcome) {
            return try Delivery.enqueue(.pointers(arguments), of: method, for: entry) != .rejected
        } catch {
            return false
        }
    }

    private func callNow(_ method: Method, _ arguments: Broadcast.Arguments?) {
        let size = max(CallPlan.smallResultSize, method.resultSize)
        withUnsafeTemporaryAllocation(byteCount: size, alignment: CopyPlan.alignment) { result in
            withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { slots in
                for index in 0..<method.plan.pointee.parameterCount { slots[index] = arguments?[index] }
                let single = SingleCall(
                    plan: method.plan, arguments: slots.baseAddress.unsafelyUnwrapped,
                    result: result.baseAddress.unsafelyUnwrapped)
                // An observer that is blocked or has ended meanwhile is not called.
                try? call(for: method) { single.run($0.pointee.function, target: $0.pointee.target) }
            }
        }
    }
}
