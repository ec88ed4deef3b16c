internal import CPealSupport

/// The last step of an observer's end, after its last call has returned.
enum ObserverLife {
    /// Releases the reference of the registration itself.
    static func release(_ record: UnsafeMutablePointer<ObserverRecord>) {
        if peal_observer_release(record) { end(record) }
    }

    /// The same for an observer without extras whose destroy callback, if it has one, has returned. Releases the caller's
    /// pin of its id too.
    ///
    /// - Parameter counts: The number of weak counts of lists that the caller releases too.
    static func releasePinned(_ record: Observer, counts: UInt32 = 0) {
        var ended = EndedRecords()
        releasePinned(record, counts: counts, &ended)
        ended.release()
    }

    /// - Parameter ended: Releases the tables of the record.
    @inline(__always)
    static func releasePinned(_ record: Observer, counts: UInt32, _ ended: inout EndedRecords) {
        if _fastPath(peal_observer_references(record) == 1) {
            peal_label_remove(record.pointee.id)
            let counts = counts + 1 + Handles.observations.recyclePinned(record)
            releaseMemory(record, counts: counts, &ended)
        } else {
            // Another thread may end the observer, which has no pin.
            Handles.observations.unpin(record.pointee.id)
            if counts > 0 { releaseMemory(record, counts: counts) }
            release(record)
        }
    }

    /// Runs the destroy callback, on the observer's queue if it has one. Call with no lock held.
    @inline(never)
    private static func end(_ record: UnsafeMutablePointer<ObserverRecord>) {
        guard let mailbox = record.mailbox, record.pointee.destroy != nil else { return finish(record) }
        record.delivery?.pointee.end.run = { ObserverLife.runEnd($0) }
        mailbox.push(peal_observer_end_task(record))
    }

    static func runEnd(_ task: UnsafeMutablePointer<peal_task>) {
        finish(peal_observer_of_end(task))
    }

    private static func finish(_ record: UnsafeMutablePointer<ObserverRecord>) {
        destroy(record)
        let lazy = record.placeholder
        // An instance has the id of its placeholder. The placeholder ends after the instance.
        releaseMemory(record, counts: 1 + (lazy == nil ? Handles.dropEnded(record) : 0))
        if let lazy { release(lazy) }
    }

    /// Runs the destroy callback unless another thread has run it. For a service's instance, this ends its use. The
    /// callback counts as a call of the observer, so a thread that waits for the observer's calls also waits for the
    /// callback.
    ///
    /// - Returns: False if another thread has run the callback, or runs it.
    @discardableResult
    static func destroy(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        let destroy = record.pointee.destroy
        guard destroy != nil || record.placeholder != nil else { return true }
        let hazard = peal_hazard_occupy()
        // The current call is stored before the claim: a thread that finds the callback claimed sees that it runs.
        if let hazard { peal_current_set(peal_hazard_current(hazard), record.gate) }
        let isClaimed = peal_observer_claim_destroy(record)
        if isClaimed {
            peal_order_see_published()
            peal_order_see_ended()
            destroy?(record.pointee.target)
            peal_order_end()
            endUse(of: record)
        }
        if let hazard { Broadcast.release(hazard) }
        return isClaimed
    }

    private static func endUse(of record: UnsafeMutablePointer<ObserverRecord>) {
        guard let extras = record.rareExtras, extras.pointee.lazy != nil, let target = record.pointee.target else {
            return
        }
        ServiceUse(id: extras.pointee.use, target: target).end()
    }

    /// Frees the record if its life, the object of its handle and all lists have released it. Then does this for the
    /// record's successor.
    ///
    /// - Parameter counts: The number of weak counts that the caller releases.
    static func releaseMemory(_ released: UnsafeMutablePointer<ObserverRecord>, counts: UInt32 = 1) {
        if peal_observer_release_memory(released, counts) { free(released) }
    }

    /// The same for one of several records.
    ///
    /// - Parameter ended: Releases the tables of records without extras.
    @inline(__always)
    static func releaseMemory(_ record: Observer, counts: UInt32, _ ended: inout EndedRecords) {
        guard peal_observer_release_memory(record, counts) else { return }
        guard record.delivery == nil, record.pointee.successor == nil else { return free(record) }
        ended.add(record)
        record.free()
    }

    private static func free(_ released: Observer) {
        var record = released
        repeat {
            if let mailbox = record.mailbox {
                peal_mailbox_release(mailbox)
                if peal_observer_is_timer(record) { return TimerRecord(record).free() }
            }
            record.releaseObjects()
            let successor = record.pointee.successor
            record.free()
            guard let successor else { return }
            record = successor.pointee.record
            peal_memory_free(successor)
        } while peal_observer_release_memory(record, 1)
    }
}

/// Counts records that end one after the other, most of which have the same tables.
struct EndedRecords {
    private var tables: UnsafeMutableRawPointer?
    private var count: UInt32 = 0

    /// Adds a record without extras, whose memory the caller frees.
    @inline(__always)
    mutating func add(_ record: Observer) {
        if record.pointee.tables != tables { release() }
        tables = record.pointee.tables
        count &+= 1
    }

    /// Releases the tables of all added records.
    mutating func release() {
        if let tables, count > 0 { Borrowed<ObserverTables>(at: tables).with { $0.removeRecords(count) } }
        (tables, count) = (nil, 0)
    }
}
