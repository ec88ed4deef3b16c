internal import CPeal

/// Durations as the C interface has them.
enum Milliseconds {
    /// A time limit, rounded up; `nil` and what is beyond seven weeks is no limit. A negative one has passed.
    static func limit(_ duration: Duration?) -> UInt32 {
        guard let duration else { return PEAL_FOREVER }
        let (seconds, attoseconds) = duration.components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= Int64(PEAL_FOREVER / 1000) { return PEAL_FOREVER }
        return UInt32(seconds) * 1000 + UInt32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension Duration {
    /// In nanoseconds, as timers count. A longer duration becomes their greatest value.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isStillTooLong ? (seconds < 0 ? .min : .max) : sum
    }
}
