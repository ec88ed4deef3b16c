internal import CPealSupport

/// The handles of timers. Their slots have records, as those of observers do.
public struct TimerHandles: Sendable {
    private var records: ObserverHandles { ObserverHandles(PEAL_SLOTS_TIMERS) }

    /// Makes the id of a timer. Lookups find the timer from now on.
    func open(_ timer: TimerRecord) throws(Failure) {
        try records.open(
            timer.observer, limit: "there are too many timers in the process; end those that are not needed")
    }

    public func find(_ id: UInt64) -> Timer? { timer(records.retained(id, evenRetired: false)) }

    /// The same as `find`, but also finds an id that has been retired and not recycled yet.
    func findEvenRetired(_ id: UInt64) -> Timer? { timer(records.retained(id, evenRetired: true)) }

    /// See `ObserverHandles.retire`.
    func retire(_ id: UInt64) { records.retire(id) }

    /// See `ObserverHandles.recycle`.
    func recycle(_ id: UInt64) -> UInt32? { records.recycle(id) }

    /// See `ObserverHandles.has`.
    public func has(_ id: UInt64) -> Bool { records.has(id) }

    /// The record of an id that is not stale. The caller must hold the agenda's lock. The end of a timer acquires it
    /// between the retirement of the id and the release of the record, so no pin is needed.
    @inline(__always)
    func locked(_ id: UInt64) -> TimerRecord? { records.locked(id).map { TimerRecord($0) } }

    /// All timers at this time, those of retired ids too.
    var all: [Timer] { records.allRetained.compactMap(timer) }

    /// The handles of all timers that have not ended.
    public var ids: [UInt64] { all.map { $0.id }.filter(has) }

    /// - Parameter record: Has a weak count, which this function releases.
    private func timer(_ record: Observer?) -> Timer? {
        guard let record else { return nil }
        defer { ObserverLife.releaseMemory(record) }
        return Timer(TimerRecord(record))
    }
}
