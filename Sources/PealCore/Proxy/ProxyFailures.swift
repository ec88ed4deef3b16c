import PealCall

/// Reports the failures of calls through tables, because these calls have no status.
public enum ProxyFailures {
    private static let reporter = Guarded<(@Sendable (Failure) -> Void)?>(nil)

    /// Sets the function that reports each failure, on the thread of the failed call.
    public static func report(by report: @escaping @Sendable (Failure) -> Void) {
        reporter.withLock { $0 = report }
    }

    @inline(never)
    static func note(_ failure: Failure) {
        let report = reporter.withLock { $0 }
        report?(failure)
    }
}

extension Failure {
    public static let staleProxy = Failure(
        .handle, "the proxy's handle is invalid: zero, never created, or already destroyed")
    static let staleSelf = Failure(
        .handle,
        "a function of a proxy's table was called after the proxy was destroyed, or with an invalid `self`; pass the `self` that came with the table"
    )
}
