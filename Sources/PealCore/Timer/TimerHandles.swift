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

    /// See `ObserverHandles.withPinned`.
    @inline(__always)
    func withPinned<Value>(
        _ id: UInt64, _ body: (TimerRecord) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try records.withPinned(id) { (record) throws(Failure) in try body(TimerRecord(record)) }
    }

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
