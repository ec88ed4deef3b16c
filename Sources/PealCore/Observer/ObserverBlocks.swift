internal import CPealSupport

/// The blocks of an observer, which is skipped until it is unblocked as often as it was blocked.
public enum ObserverBlocks {
    public static func block(_ id: UInt64) throws(Failure) {
        let isBlocked = try updateGate(of: id) { value in
            value & ObserverGate.blocks < maximumBlocks ? value + 1 : nil
        }
        guard isBlocked else {
            throw Failure(
                .limit, "the observer is blocked \(maximumBlocks) times; unblock it as often as it is blocked")
        }
    }

    public static func unblock(_ id: UInt64) throws(Failure) {
        let isUnblocked = try updateGate(of: id) { value in
            value & ObserverGate.blocks > 0 ? value - 1 : nil
        }
        guard isUnblocked else {
            throw Failure(.state, "the observer is not blocked; unblock it only as often as it was blocked")
        }
    }

    @inline(__always)
    private static func updateGate(
        of id: UInt64, _ change: (UInt32) -> UInt32?
    ) throws(Failure) -> Bool {
        let isUpdated: Bool?? = Handles.observations.withPinned(id) { record in
            record.lazyObserver == nil ? ObserverGate.update(record.gate, change) : nil
        }
        if let isUpdated = isUpdated ?? nil { return isUpdated }
        guard let placeholder = Handles.observations.find(id), let lazy = placeholder.lazy else {
            throw .staleObservation
        }
        return lazy.updateGates(of: placeholder, change)
    }

    private static var maximumBlocks: UInt32 { 30_000_000 }
}
