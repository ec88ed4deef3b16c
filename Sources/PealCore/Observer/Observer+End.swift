internal import CPealSupport

/// The end of a registration, step by step.
extension Observer {
    /// Marks the observer as removed and makes its handle stale. Several threads may try, for example a broadcast to a
    /// ONCE observer. Only one thread succeeds, and removes the observer from the lists.
    func close() -> Bool {
        guard closeGate() else { return false }
        Handles.observations.retire(pointee.id)
        return true
    }

    /// Marks the observer as removed. The caller makes the handle stale.
    @inline(__always)
    func closeGate() -> Bool {
        guard ObserverGate.remove(gate) else { return false }
        lazyObserver?.close()
        return true
    }

    /// Removes a closed observer from all lists, discards its waiting calls, and releases it. The caller keeps the
    /// memory of the record.
    func unlist() {
        leaveLists()
        finishRemoval()
    }

    /// The same for an observer whose id the caller has pinned. Releases the pin.
    @inline(__always)
    func unlistPinned() {
        if delivery == nil, pointee.destroy == nil {
            // The pin is released when the record is freed.
            borrowedTables.with { tables in
                Borrowed(tables.proto.center).with { center in center.unpublishLeaving(self) }
            }
            return
        }
        if delivery != nil {
            leaveLists()
        } else if endUnlessRun() {
            return
        }
        finishRemoval()
        Handles.observations.unpin(pointee.id)
    }

    /// Ends an observer without extras whose gate is closed, and whose id the caller has pinned. Releases the pin.
    ///
    /// - Returns: False if a call of it runs, on this thread or another, or if another thread runs or has run its destroy
    ///   callback. Then it is in no list any more, and the caller finishes the removal and releases the pin.
    @inline(__always)
    func endUnlessRun() -> Bool {
        let replaced = takeFromLists()
        // No atomic operation follows the store that replaces the list.
        peal_thread_writer_fence()
        let isAnyRead = peal_thread_any_slot_is_occupied()
        guard !isAnyRead || !peal_thread_others_run(nil, gate), ObserverLife.destroy(self) else {
            if let replaced { Reclaimer.retire(.list(replaced)) }
            return false
        }
        peal_order_see_ended()
        if let replaced, isAnyRead {
            Reclaimer.leave(.list(replaced))
            ObserverLife.releasePinned(self)
        } else {
            Reclaimer.free(replaced, with: self)
        }
        return true
    }

    /// Removes it from all lists: no broadcast that begins afterwards reaches it. The lists that were replaced wait for the
    /// next collection.
    func leaveLists() {
        _ = unpublish { center, list in _ = center.leaving.add(.list(list)) }
    }

    /// The same, but the caller must retire or free the returned list.
    func takeFromLists() -> Snapshot? {
        unpublish { _, _ in }
    }

    @inline(__always)
    private func unpublish(_ retire: (Center, Snapshot) -> Void) -> Snapshot? {
        borrowedTables.with { tables in
            Borrowed(tables.proto.center).with { center in center.unpublish(self, retire) }
        }
    }

    /// Removes the observer from its queue's members and from its target's observers. Called before the record can end.
    func leaveRegisters() {
        // Owners and queues contain the placeholder and not its instance.
        guard !isInstance else { return }
        queue?.removeMember(self)
        Reference.removeObserver(self)
    }

    /// Finishes the removal of an observer that is in no list any more.
    func finishRemoval() {
        leaveQueue()
        guard isWaitedFor else { return Reclaimer.leave(.observer(self)) }
        Reclaimer.end(self)
        Reclaimer.collectBacklog()
    }

    private func leaveQueue() {
        guard delivery != nil else { return }
        lazyObserver?.end()
        leaveRegisters()
        mailbox?.dropDead()
    }

    /// Returns true if the observer's end does more than free memory, and therefore must not wait for the next
    /// collection.
    var isWaitedFor: Bool { pointee.destroy != nil || mailbox != nil || isInstance }

    /// Finishes the removal of several observers.
    static func finishRemoval(_ records: [Observer]) {
        guard !records.isEmpty else { return }
        for record in records { record.leaveQueue() }
        // The records are divided first, because each may be freed at its own end.
        let others = records.filter { !$0.isWaitedFor }
        Reclaimer.end(records.filter { $0.isWaitedFor })
        Reclaimer.retire(others.map { .observer($0) })
        Reclaimer.collectBacklog()
    }
}

extension Center {
    /// Not inlined, because the objects would be retained.
    @inline(never)
    fileprivate func unpublish(_ record: Observer, _ retire: (Center, Snapshot) -> Void) -> Snapshot? {
        var replaced: Snapshot?
        _ = try? withState { (state) throws(Failure) in
            replaced = record.borrowedTables.with { tables in state.unlist(record, tables) }
            if let replaced { retire(self, replaced) }
        }
        return replaced
    }

    /// The same for an observer whose end only frees memory. The observer and the list that was replaced wait for the next
    /// collection. Once the lock is released, another thread may free the observer, and then the center if that has ended.
    /// So this thread accesses neither afterwards.
    @inline(never) @_optimize(speed)
    fileprivate func unpublishLeaving(_ record: Observer) {
        var isLeft = false
        var isFull = false
        _ = try? withStateInline { (state) throws(Failure) in
            let replaced = record.borrowedTables.with { tables in
                let staysIndexed = tables.proto.state.observers.prefetchIfLarge(record)
                if staysIndexed { leaving.noteIndexed() }
                return state.unlist(record, tables, staysIndexed: staysIndexed)
            }
            isFull = leaving.add(replaced, with: record)
            isLeft = true
        }
        // The end of a center has ended its lists.
        guard isLeft else { return Reclaimer.leave(.pinnedObserver(record)) }
        if isFull { Reclaimer.collect() }
    }
}

extension CenterState {
    /// Removes an observer that has ended from its lists.
    ///
    /// - Parameters:
    ///   - replaced: Methods whose lists have been replaced by lists without it.
    ///   - staysIndexed: It stays in the index until the center's leaving observers are removed from there.
    /// - Returns: The last list that was replaced, which the caller must retire; the others are retired. Most observers
    ///   have one method, whose list is retired together with the observer.
    @inline(__always)
    func unlist(
        _ record: Observer, _ tables: ObserverTables, besides replaced: Set<MethodElement>? = nil,
        staysIndexed: Bool = false
    ) -> Snapshot? {
        // The end of its protocol has ended the lists too.
        guard self[tables.proto].isDefined else { return nil }
        if staysIndexed || self[tables.proto].observers.remove(record) { count(record, of: tables.proto, as: -1) }
        if tables.listings.count == 1, replaced == nil, tables.later == nil {
            return SnapshotTransaction.remove(record, from: tables.listings[0].element)
        }
        return unlistAll(record, tables, besides: replaced)
    }

    @inline(never)
    private func unlistAll(
        _ record: Observer, _ tables: ObserverTables, besides replaced: Set<MethodElement>?
    ) -> Snapshot? {
        var last: Snapshot?
        func remove(_ listing: ObserverTables.Listing) {
            if let replaced, replaced.contains(listing.element) { return }
            guard let list = SnapshotTransaction.remove(record, from: listing.element) else { return }
            if let last { Reclaimer.retire(.list(last)) }
            last = list
        }
        for listing in tables.listings { remove(listing) }
        guard let later = tables.later else { return last }
        tables.proto.center.laterObservers.remove(record, of: tables.proto)
        for listing in later.listings { remove(listing) }
        return last
    }

    /// Adds to the number of observers of all protocols that the observer conforms to.
    @inline(__always)
    func count(_ record: Observer, of proto: PealProtocol, as difference: Int32) {
        self[proto].count(record, as: difference)
        if proto.ancestry != nil || peal_announcements_are_used() { countElsewhere(record, of: proto, as: difference) }
    }

    /// Does the same for the adopted protocols, and for the center's presence.
    @inline(never)
    private func countElsewhere(_ record: Observer, of proto: PealProtocol, as difference: Int32) {
        if let ancestry = proto.ancestry {
            for member in ancestry.all { self[member].count(record, as: difference) }
        }
        if peal_announcements_are_used(), let presence = proto.center.presence {
            presence.count(record.tables.currentMethods, as: difference)
        }
    }
}

extension ProtocolState {
    @inline(__always)
    fileprivate func count(_ record: Observer, as difference: Int32) {
        conformerCount += difference
        if record.isWeak { weakConformerCount += difference }
    }
}
