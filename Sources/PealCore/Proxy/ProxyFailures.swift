import PealCall

/// Calls through tables have no status: their failures are reported separately.
public enum ProxyFailures {
    private static let reporter = Guarded<(@Sendable (Failure) -> Void)?>(nil)

    /// Reports failures, for the thread on which they happen.
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
    public static let staleProxy = Failure(.handle, "the proxy's handle is zero, made up, or the proxy has been destroyed")
    static let staleSelf = Failure(
        .handle, "a function of a proxy's table was called whose proxy has been destroyed, or with a `self` that is none; pass the one that came with the table")
}
