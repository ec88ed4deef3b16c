import PealCall

/// Calls through tables have no status: their failures are reported separately.
public enum ProxyFailures {
    private static let teller = Guarded<(@Sendable (Failure) -> Void)?>(nil)

    /// Reports failures, for the thread on which they happen.
    public static func tell(by told: @escaping @Sendable (Failure) -> Void) {
        teller.withLock { $0 = told }
    }

    @inline(never)
    static func note(_ failure: Failure) {
        let told = teller.withLock { $0 }
        told?(failure)
    }
}

extension Failure {
    public static let staleProxy = Failure(.handle, "the proxy's handle is zero, made up, or the proxy has been destroyed")
    static let staleSelf = Failure(
        .handle, "a function of a proxy's table was called whose proxy has been destroyed, or with a `self` that is none; pass the one that came with the table")
}
