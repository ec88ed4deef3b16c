internal import CPealSupport

extension SnapshotEntry {
    var record: UnsafeMutablePointer<ObserverRecord> { peal_observer_of_gate(gate) }

    /// True if the observer is the placeholder of a service's instance.
    var isLazy: Bool { ObserverGate.isLazy(peal_gate_load(gate)) }

    /// Returns true if the entry adds no trait to its list. Most observers have no extras, and thus no queue and no
    /// service.
    var addsNoTraits: Bool { record.delivery == nil || (record.mailbox == nil && !isLazy && !isOfLazy) }

    /// Returns true if the result of each call of the observer must be examined, in lists of the element's method.
    func isExamined(in element: MethodElement) -> Bool {
        record.isExamined && element.plan.pointee.resultKind != .void
    }

    /// Returns true if the result or the answer of the observer counts.
    func answers(besides excepted: UInt64) -> Bool {
        !record.isPassive && record.pointee.id != excepted
    }

    /// True if the observer is a service's instance.
    var isOfLazy: Bool { record.placeholder != nil }

    /// The change in the number of services' instances that a list lacks, if this entry is added.
    var missingInstances: Int {
        if isLazy { return 1 }
        guard let placeholder = record.placeholder, !ObserverGate.isEnding(placeholder.gate) else { return 0 }
        return -1
    }

    var isRemoved: Bool { peal_gate_load(gate) & ObserverGate.removed != 0 }

    /// Returns true if broadcasts that begin now do not reach the observer: it has been removed, or is removed once
    /// the calls that wait have been delivered.
    var isEnding: Bool { ObserverGate.isEnding(gate) }

    /// The same for an observer without extras and without a successor, whose end frees nothing but memory.
    var isEndingWithoutExtras: Bool {
        isEnding && record.pointee.extras == UInt8(PEAL_EXTRAS_NONE) && record.pointee.successor == nil
    }

    /// The mailbox of its group; nil for an entry that broadcasts call themselves. A placeholder is such an entry even
    /// if its instance has a queue, because the entries of groups count as calls.
    var mailbox: Mailbox? { isLazy ? nil : record.mailbox }

    /// The order of calls: higher priorities first, then earlier registrations. An instance has the order of its
    /// placeholder, and follows it.
    func comes(before other: SnapshotEntry) -> Bool {
        let (own, others) = (record, other.record)
        if own.pointee.priority != others.pointee.priority { return own.pointee.priority > others.pointee.priority }
        if own.pointee.order != others.pointee.order { return own.pointee.order < others.pointee.order }
        return !own.isInstance && others.isInstance
    }

    /// The order in which lists are built: entries without a queue first, then one group after the other. It is total,
    /// since no list has two entries of one registration.
    func precedes(_ other: SnapshotEntry) -> Bool {
        let (own, others) = (mailbox, other.mailbox)
        if own == nil, others == nil { return comes(before: other) }
        // Ids instead of addresses: groups have the same order in each run of a program.
        let (id, othersID) = (own?.pointee.id ?? 0, others?.pointee.id ?? 0)
        if id != othersID { return id < othersID }
        let (keepsLatest, othersKeep) = (record.keepsLatest, other.record.keepsLatest)
        return keepsLatest == othersKeep ? comes(before: other) : othersKeep
    }

    /// Returns true if both entries belong to one group. Both must have queues.
    func isInGroup(of other: SnapshotEntry) -> Bool {
        mailbox == other.mailbox && record.keepsLatest == other.record.keepsLatest
    }

    /// True if the observer is removed, and so are its successors.
    func isRemoved(for method: UInt64) -> Bool {
        var entry = self
        while entry.isRemoved {
            guard let successor = peal_successor_entry(entry.record, method) else { return true }
            entry = successor.pointee
        }
        return false
    }
}

extension UnsafeMutableBufferPointer<SnapshotEntry> {
    /// Sorts by `precedes`, in place. A broadcast that settles a list must not allocate by the Swift runtime, as the
    /// standard sort does.
    func heapSort() {
        guard !isSorted else { return }
        for root in stride(from: count / 2 - 1, through: 0, by: -1) { siftDown(from: root, to: count) }
        for end in stride(from: count - 1, to: 0, by: -1) {
            swapAt(0, end)
            siftDown(from: 0, to: end)
        }
    }

    private var isSorted: Bool {
        for index in stride(from: 1, to: count, by: 1) where self[index].precedes(self[index - 1]) { return false }
        return true
    }

    private func siftDown(from first: Int, to end: Int) {
        var root = first
        while 2 * root + 1 < end {
            var child = 2 * root + 1
            if child + 1 < end, self[child].precedes(self[child + 1]) { child += 1 }
            guard self[root].precedes(self[child]) else { return }
            swapAt(root, child)
            root = child
        }
    }
}
