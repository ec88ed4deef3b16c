internal import CPealSupport

extension Broadcast {
    /// Protects a method's list as ``hold(_:_:_:mark:)`` does, after its entries have been put in order.
    static func holdSettled(_ number: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HAZARD_OF_LIBRARY)
        throws(Outcome) -> Hold
    {
        try settle(try hold(number, arguments, count, mark: mark), number, arguments, count, mark: mark)
    }

    /// Has the list of a method put in order if it is unsettled. Observers that are registered meanwhile may be missed,
    /// as by any broadcast that has begun, so the list is tested only once.
    ///
    /// - Returns: The hazard slot of the current list. If this throws, no list is protected.
    static func settle(
        _ hold: Hold, _ number: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HAZARD_OF_LIBRARY
    ) throws(Outcome) -> Hold {
        // The number is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list(hold)) == number, list(hold).isUnsettled else { return hold }
        release(hold)
        guard settle(number) else { throw fail(.outOfMemory, number, arguments, count) }
        return try self.hold(number, arguments, count, mark: mark)
    }

    /// - Returns: False when memory is short.
    @inline(never)
    private static func settle(_ number: UInt64) -> Bool {
        guard let method = Handles.methods.find(number) else { return true }
        var isLong = false
        let isSettled = try? method.owner.center.withState { (_) throws(Failure) in
            isLong = method.list?.isLong ?? false
            return SnapshotTransaction.settle(method.place)
        }
        if isLong { Reclaimer.collect() } else { Reclaimer.collectBacklog() }
        // An ended center has no lists.
        return isSettled ?? true
    }
}
