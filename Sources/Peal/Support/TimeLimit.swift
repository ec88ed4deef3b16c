internal import CPeal

/// Time limits as the C interface takes them: whole milliseconds.
enum TimeLimit {
    /// A limit in milliseconds, rounded up so that nothing ends early. What is below zero is zero; what does
    /// not fit is as long as fits; nil is no limit.
    static func milliseconds(_ limit: Duration?) -> UInt32 {
        guard let limit else { return PEAL_FOREVER }
        guard limit > .zero else { return 0 }
        let longest = Duration.milliseconds(Int64(PEAL_FOREVER) - 1)
        guard limit < longest else { return PEAL_FOREVER - 1 }
        let (seconds, attoseconds) = limit.components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return UInt32(seconds * 1000 + (attoseconds + perMillisecond - 1) / perMillisecond)
    }
}

extension Duration {
    /// A time of the C interface in nanoseconds.
    init(pealNanoseconds nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
