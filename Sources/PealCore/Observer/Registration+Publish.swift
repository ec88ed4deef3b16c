internal import CPealSupport
import PealCall

extension CenterState {
    /// Lists an observer of one method by appending its entry to the method's list. Thousands of such registrations in a
    /// row retire no list.
    ///
    /// - Returns: False if the observer was not listed. It has extras, does not implement exactly one method, implements a
    ///   sticky one, or its entry does not belong at the end of the list.
    @inline(__always)
    func publishFast(
        _ record: Observer, at position: ObserverIndex.Position, of proto: PealProtocol
    ) throws(Failure) -> Bool {
        guard record.delivery == nil else { return false }
        return try record.borrowedTables.with { (tables) throws(Failure) in
            guard tables.listings.count == 1, !tables.isSticky else { return false }
            let listing = tables.listings[0]
            let entry = listing.entry(of: record)
            let current = listing.element.list
            guard let list = try listing.element.listToAppend(entry, current) else { return false }
            // Before the handle is made, by which other threads find the record.
            peal_observer_retain_memory_unshared(record)
            Handles.observations.openOwn(record)
            proto.state.observers.insert(record, at: position)
            count(record, of: proto, as: 1)
            list.appendOwned(entry)
            if current == nil { listing.element.publish(list) }
            return true
        }
    }

    /// Lists the observer under all its methods, or under none when memory is short.
    @inline(never)
    mutating func publish(
        _ record: Observer, at position: ObserverIndex.Position, _ registration: inout Registration,
        of proto: PealProtocol
    ) throws(Failure) {
        try record.borrowedTables.with { (tables) throws(Failure) in
            let changes = try prepare(record, tables)
            do throws(Failure) {
                try open(record, at: position, &registration, of: proto)
            } catch {
                changes.cancel()
                throw error
            }
            // No later step can fail.
            let leavesLongList = changes.leavesLongList
            if leavesLongList || tables.isSticky {
                let lastCalls = tables.isSticky ? openLastCalls(of: record, tables, registration) : nil
                registration.remainder = RegistrationRemainder(leavesLongList: leavesLongList, lastCalls: lastCalls)
            }
            changes.commit()
        }
    }

    /// Lists an observer that replaces others.
    @inline(never)
    mutating func publish(
        _ record: Observer, at position: ObserverIndex.Position, _ registration: inout Registration,
        of proto: PealProtocol,
        replacing known: [Observer]
    ) throws(Failure) {
        let tables = record.tables
        // A service's placeholder is never called: its instance is another observer.
        let replaced = registration.lazy == nil ? known : []
        let successors = try Successors(of: replaced, by: record, tables)
        let changes: SnapshotTransactions
        do throws(Failure) {
            changes =
                replaced.isEmpty
                ? try prepare(record, tables) : try prepare(record, tables, replacing: Set(replaced))
        } catch {
            successors.cancel()
            throw error
        }
        do throws(Failure) {
            try open(record, at: position, &registration, of: proto)
        } catch {
            successors.cancel()
            changes.cancel()
            throw error
        }
        // No later step can fail. New broadcasts call the new observer before an old one is closed. If another thread
        // is removing an old observer, that thread finishes the removal.
        let leavesLongList = changes.leavesLongList
        let lastCalls = tables.isSticky ? openLastCalls(of: record, tables, registration) : nil
        changes.commit()
        successors.commit()
        let closed = known.filter { $0.close() }
        let replacedLists = changes.replacedLists
        for old in closed {
            if let list = unlist(old, old.tables, besides: replacedLists) { Reclaimer.retire(.list(list)) }
        }
        registration.remainder = RegistrationRemainder(
            replaced: closed, leavesLongList: leavesLongList, lastCalls: lastCalls)
    }

    /// Opens the delivery of last calls, before the observer is published.
    @inline(never)
    private func openLastCalls(
        of record: Observer, _ tables: ObserverTables, _ registration: borrowing Registration
    ) -> LastCallDelivery? {
        guard registration.options.contains(.getsLastCalls) else { return nil }
        return LastCallDelivery(
            to: Observation(record), of: tables.methods.filter { $0.lastCalls != nil })
    }

    /// Makes the handle of an observer, and adds the observer to its protocol, its owner and its queue.
    @inline(__always)
    private mutating func open(
        _ record: Observer, at position: ObserverIndex.Position, _ registration: inout Registration,
        of proto: PealProtocol
    ) throws(Failure) {
        try Handles.observations.open(record)
        if record.delivery != nil { try addToQueueAndOwner(record, &registration) }
        proto.state.observers.insert(record, at: position)
        count(record, of: proto, as: 1)
    }

    /// Adds the observer to its queue and its owner, and begins a lazy registration. If one of these fails, the observer is
    /// in neither set and has no handle. If another thread has closed the observer meanwhile, this does not fail: the
    /// observer is listed, and that thread removes it once it has the center's lock.
    @inline(never)
    private func addToQueueAndOwner(_ record: Observer, _ registration: inout Registration) throws(Failure) {
        do throws(Failure) {
            try registration.queue?.addMember(record)
            if let lazy = registration.lazy, !lazy.begin(record.pointee.id) {
                throw .serviceEnded(lazy.service.name)
            }
            try Reference.addObserver(record)
            // The owner is the last, because its retirement runs the destroy callbacks of all its observers.
            try registration.owner?.add(record)
        } catch {
            // The end of the queue, or a removal, may have closed the observer.
            guard record.closeGate() else { return keepEnded(record, &registration) }
            Handles.observations.discard(record)
            record.leaveRegisters()
            throw error
        }
    }

    /// An observer that another thread ends belongs to its owner until its destroy callback has returned. If the owner has
    /// been retired, the registering thread runs the callback, unless the other thread runs it.
    @inline(never)
    private func keepEnded(_ record: Observer, _ registration: inout Registration) {
        do throws(Failure) { try registration.owner?.add(record) } catch { registration.ended = Observation(record) }
    }

    /// Prepares the lists of all methods that an observer implements.
    @inline(__always)
    func prepare(_ record: Observer, _ tables: ObserverTables) throws(Failure) -> SnapshotTransactions {
        try SnapshotTransactions(tables.listings) { (listing) throws(Failure) in
            try SnapshotTransaction(inserting: listing.entry(of: record), in: listing.element)
        }
    }

    private func prepare(
        _ record: Observer, _ tables: ObserverTables, replacing replaced: Set<Observer>
    ) throws(Failure) -> SnapshotTransactions {
        try SnapshotTransactions(tables.listings) { (listing) throws(Failure) in
            try SnapshotTransaction(inserting: listing.entry(of: record), replacing: replaced, in: listing.element)
        }
    }
}
