internal import CPealSupport

extension Broadcast {
    /// Protects a method's list as ``protect(_:_:_:mark:)`` does, after its entries have been put in order.
    static func protectSettled(_ id: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HAZARD_OF_LIBRARY)
        throws(Outcome) -> Hazard
    {
        try settle(try protect(id, arguments, count, mark: mark), id, arguments, count, mark: mark)
    }

    /// Settles the list of a method if it is unsettled. Observers that are registered meanwhile may be missed, as by
    /// any broadcast that has begun, so the list is tested only once.
    ///
    /// - Returns: The hazard slot of the current list. If this throws, no list is protected.
    static func settle(
        _ hazard: Hazard, _ id: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HAZARD_OF_LIBRARY
    ) throws(Outcome) -> Hazard {
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list(hazard)) == id, list(hazard).isUnsettled else { return hazard }
        release(hazard)
        guard settle(id) else { throw fail(.outOfMemory, id, arguments, count) }
        return try self.protect(id, arguments, count, mark: mark)
    }

    /// - Returns: False when memory is short.
    @inline(never)
    private static func settle(_ id: UInt64) -> Bool {
        guard let method = Handles.methods.find(id) else { return true }
        var isLong = false
        let isSettled = try? method.owner.center.withState { (_) throws(Failure) in
            isLong = method.list?.isLong ?? false
            return SnapshotTransaction.settle(method.element)
        }
        if isLong { Reclaimer.collect() } else { Reclaimer.collectBacklog() }
        // An ended center has no lists.
        return isSettled ?? true
    }
}
