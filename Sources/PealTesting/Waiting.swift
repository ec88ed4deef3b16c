internal import CPeal
internal import Dispatch
internal import Peal

/// Calls a function of C that waits, on a thread of Dispatch, so no thread of Swift's tasks blocks. Cancelling the task does
/// not end the wait.
///
/// - Parameter body: Returns the function's status.
/// - Throws: The failure of the status.
func waiting(_ body: @escaping @Sendable () -> peal_status) async throws(PealError) {
    let result: Result<Void, PealError> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(returning: Result { () throws(PealError) in try PealError.check(body()) })
        }
    }
    try result.get()
}

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
