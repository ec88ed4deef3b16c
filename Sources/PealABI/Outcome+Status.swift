internal import CPeal
internal import PealCore

/// A broadcast's answer as the interface's status.
struct StatusAnswer: BroadcastAnswer {
    let status: peal_status

    static var done: StatusAnswer { StatusAnswer(status: PEAL_OK) }

    @inline(__always)
    init(status: peal_status) { self.status = status }
    init(_ outcome: Broadcast.Outcome) { status = outcome.status() }
}

extension Broadcast.Outcome {
    /// The status; for a failure also the thread's sentence.
    @inline(never)
    func status(policy: BroadcastPolicy? = nil) -> peal_status {
        if let failure = BroadcastFailure.last(self, policy: policy) { return Boundary.fail(failure) }
        return remark
    }

    /// The status of an outcome that is no failure.
    var remark: peal_status {
        switch self {
        case .deferred: PEAL_DEFERRED
        case .truncated: PEAL_TRUNCATED
        case .rejected: PEAL_REJECTED
        default: PEAL_OK
        }
    }
}
