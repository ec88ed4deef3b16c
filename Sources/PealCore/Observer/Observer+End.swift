internal import CPealSupport

/// The end of a registration, step by step.
extension Observer {
    /// Marks the observer as removed and makes its handle stale. Of all who try, a broadcast that calls
    /// it once among them, one succeeds: that one takes it out of the lists.
    func close() -> Bool {
        guard closeGate() else { return false }
        Handles.observations.retire(pointee.number)
        return true
    }

    /// The same without a look at the handle.
    func closeGate() -> Bool {
        guard ObserverGate.remove(gate) else { return false }
        lazyObserver?.close()
        return true
    }

    /// Takes a closed observer out of all lists, drops its calls that wait, and lets go of it. The caller keeps the
    /// memory of the record.
    func unlist() {
        leaveLists()
        finishRemoval()
    }

    /// Takes it out of all lists: no broadcast that begins after this reaches it.
    func leaveLists() {
        let tables = tables
        _ = try? tables.proto.center.withState { (state) throws(Failure) in state.unlist(self, tables) }
    }

    /// Before the record can end.
    func leaveRegisters() {
        // Registers know the placeholder and not its instance.
        guard !isInstance else { return }
        queue?.forget(self)
    }

    /// The last step for one that is in no list any more.
    private func finishRemoval() {
        leaveQueue()
        guard isWaitedFor else { return Reclaimer.leave(.observer(self)) }
        Reclaimer.end(self)
        Reclaimer.collectBacklog()
    }

    private func leaveQueue() {
        guard extras != nil else { return }
        lazyObserver?.end()
        leaveRegisters()
        mailbox?.dropDead()
    }

    /// Whether its end does more than free memory, and so must not wait for the next collection.
    private var isWaitedFor: Bool { pointee.destroy != nil || mailbox != nil || isInstance }

    /// The same for some.
    static func finishRemoval(_ records: [Observer]) {
        guard !records.isEmpty else { return }
        for record in records { record.leaveQueue() }
        // Each is gone with its own end.
        let others = records.filter { !$0.isWaitedFor }
        Reclaimer.end(records.filter { $0.isWaitedFor })
        Reclaimer.retire(others.map { .observer($0) })
        Reclaimer.collectBacklog()
    }
}

extension CenterState {
    /// Takes an observer that has ended out of its lists.
    ///
    /// - Parameter replaced: Methods whose lists have been replaced by lists without it.
    func unlist(_ record: Observer, _ tables: ObserverTables, besides replaced: Set<MethodPlace>? = nil) {
        // With its protocol its lists have ended.
        guard tables.proto.state.isDefined else { return }
        if tables.proto.state.observers.remove(record) { count(record, of: tables.proto, as: -1) }
        for listing in tables.listings {
            if let replaced, replaced.contains(listing.place) { continue }
            SnapshotTransaction.remove(record, from: listing.place)
        }
    }

    /// Counts one observer more or less for all protocols that it conforms to.
    func count(_ record: Observer, of proto: PealProtocol, as difference: Int) {
        proto.state.count(record, as: difference)
        for member in proto.ancestors { member.state.count(record, as: difference) }
    }
}

extension ProtocolState {
    fileprivate func count(_ record: Observer, as difference: Int) {
        conformerCount += difference
        if record.isWeak { weakConformerCount += difference }
    }
}
