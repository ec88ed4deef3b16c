internal import CPealSupport
import PealCall

/// An observer's first notification: the current value, without a change. The observer was registered as blocked, so no
/// other notification reaches it before.
enum PropertyInitial {
    /// Makes an initial notification that waited for its turn.
    ///
    /// - Returns: True if a queue refused a call, or memory was refused.
    static func notify(_ change: PropertyChange) -> Bool {
        guard let observation = Handles.observations.find(change.pointee.observation) else { return false }
        try? ObserverBlocks.unblock(observation.id)
        guard let property = Handles.properties.find(change.pointee.property) else { return false }
        // `prepareInitial` found no memory for the value.
        guard change.pointee.new_size > 0 else { return true }
        let value = peal_change_new(change)
        let values = PropertyNotification.Values(
            old: value, new: value, newSize: change.pointee.new_size, isText: property.type.isText)
        return notify(observation, values, of: property.id)
    }

    private static func notify(
        _ observation: Observation, _ values: PropertyNotification.Values, of property: UInt64
    ) -> Bool {
        var isRejected = !observation.deliver(.changed, nil)
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 3) { words in
            let first = words.baseAddress.unsafelyUnwrapped
            words[2] = values.new
            let argument = values.isText ? UnsafeMutableRawPointer(first + 2) : values.new
            words[0] = argument
            words[1] = argument
            if !observation.deliver(.values, UnsafePointer(first)) { isRejected = true }
        }
        PropertyNotification.withRecord(values, property: property, kind: PEAL_CHANGE_INITIAL, isPrior: false) {
            if !observation.deliver(.record, $0) { isRejected = true }
        }
        return isRejected
    }
}

extension Observation {
    /// Notifies this observer alone, if it has the method of the kind.
    ///
    /// - Returns: False if the queue refused the call, or memory was refused for it.
    fileprivate func deliver(_ kind: NotificationKind, _ arguments: Broadcast.Arguments?) -> Bool {
        methods.first { $0.rank == kind.rawValue }.map { deliver($0, arguments) } ?? true
    }
}
