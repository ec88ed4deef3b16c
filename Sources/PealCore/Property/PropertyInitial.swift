internal import CPealSupport
import PealCall

/// An observer's first notification: the current value, without a change. The observer was registered as blocked, so no
/// other notification reaches it before.
enum PropertyInitial {
    /// Makes an initial notification that waited for its turn.
    static func notify(_ change: PropertyChange) {
        guard let observation = Handles.observations.find(change.pointee.observation) else { return }
        try? ObserverBlocks.unblock(observation.id)
        guard let property = Handles.properties.find(change.pointee.property), change.pointee.new_size > 0 else {
            return
        }
        let value = peal_change_new(change)
        let values = PropertyNotification.Values(
            old: value, new: value, newSize: change.pointee.new_size, isText: property.type.isText)
        notify(observation, values, of: property)
    }

    private static func notify(_ observation: Observation, _ values: PropertyNotification.Values, of property: Property)
    {
        let (changed, valued, record) = (property.methods[0], property.methods[1], property.methods[3])
        observation.deliver(changed, nil)
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 3) { words in
            let first = words.baseAddress.unsafelyUnwrapped
            words[2] = values.new
            let argument = values.isText ? UnsafeMutableRawPointer(first + 2) : values.new
            words[0] = argument
            words[1] = argument
            observation.deliver(valued, UnsafePointer(first))
        }
        PropertyNotification.withRecord(values, property: property.id, kind: PEAL_CHANGE_INITIAL, isPrior: false) {
            observation.deliver(record, $0)
        }
    }
}

extension Observation {
    /// Calls this observer alone, on its queue if it has one, if it implements the method.
    fileprivate func deliver(_ method: Method, _ arguments: Broadcast.Arguments?) {
        guard methods.contains(where: { $0 === method }) else { return }
        guard let mailbox = queue?.mailbox else { return call(method, arguments) }
        guard !ObserverGate.isEnding(gate),
            let listing = record.tables.listings.first(where: { $0.element == method.element }),
            let group = try? ObserverGroup.make(for: method, of: CollectionOfOne(listing.entry(of: record)))
        else { return }
        if let call = try? CapturedCall.make(
            .pointers(arguments), copying: method.copyPlan, itemCount: 1, completion: 0)
        {
            let item = peal_call_items(call)
            let offset = UnsafeRawPointer(item) - UnsafeRawPointer(call)
            item.initialize(to: peal_item(next: nil, group: group, count: 1, offset: UInt32(offset)))
            _ = mailbox.push(item)
        }
        ObserverGroup.leave(group)
    }

    private func call(_ method: Method, _ arguments: Broadcast.Arguments?) {
        withUnsafeTemporaryAllocation(byteCount: CallPlan.smallResultSize, alignment: CopyPlan.alignment) { result in
            withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 2) { slots in
                for index in 0..<method.plan.pointee.parameterCount { slots[index] = arguments?[index] }
                let single = SingleCall(
                    plan: method.plan, arguments: slots.baseAddress.unsafelyUnwrapped,
                    result: result.baseAddress.unsafelyUnwrapped)
                // An observer that is blocked or has ended meanwhile is not called.
                try? self.call(for: method) { single.run($0.pointee.function, target: $0.pointee.target) }
            }
        }
    }
}
