import CPeal

extension Duration {
    /// In nanoseconds, as timers count. What is too long for them is the longest that they know.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLongBy) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isTooLongBy ? (seconds < 0 ? .min : .max) : sum
    }

    init(nanoseconds: Int64) {
        self = .nanoseconds(nanoseconds)
    }

    /// In whole milliseconds, as waits count: rounded up, so that nobody waits shorter than was asked for.
    var milliseconds: UInt32 {
        let nanoseconds = nanoseconds
        guard nanoseconds > 0 else { return 0 }
        let whole = (nanoseconds - 1) / 1_000_000 + 1
        return whole >= Int64(UInt32.max) ? UInt32.max - 1 : UInt32(whole)
    }
}

extension Optional<Duration> {
    /// A time limit of the C interface: without one it never passes.
    var timeLimit: UInt32 { self?.milliseconds ?? UInt32.max }
}
