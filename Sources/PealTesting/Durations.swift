internal import CPeal

extension Duration {
    /// Rounded up, as time limits of C: a negative one has passed, and what is beyond seven weeks has no limit.
    var milliseconds: UInt32 {
        let nanoseconds = wholeNanoseconds
        if nanoseconds < 0 { return 0 }
        return UInt32(exactly: (nanoseconds + 999_999) / 1_000_000) ?? PEAL_FOREVER
    }

    /// In nanoseconds, at most 292 years minus a millisecond.
    var wholeNanoseconds: Int64 {
        let limit = Duration.seconds(9_000_000_000)
        let (seconds, attoseconds) = Swift.min(Swift.max(self, .zero - limit), limit).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
