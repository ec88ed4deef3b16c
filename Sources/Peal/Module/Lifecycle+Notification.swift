internal import CPeal

extension Lifecycle {
    /// How the modules have answered to a remote notification. In C, `struct peal_completion_report`.
    public struct Answers: Hashable, Sendable {
        /// The greatest number that was answered; nil when nobody has answered.
        public let result: Int64?
        /// How many answered.
        public let completed: Int
        /// How many will not.
        public let dropped: Int
        /// Whether the time limit has passed before all had answered.
        public let isLate: Bool
    }

    /// Hands a remote notification to the modules, and waits until all have answered or said that they will not.
    ///
    /// - Parameters:
    ///   - payload: What came.
    ///   - limit: How long to wait; nil for no limit.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// The events begin on the calling thread. In C, `peal_completion_create`.
    public func remoteNotification(_ payload: String, within limit: Duration? = nil) async throws(PealError) -> Answers {
        try NameList.check(payload, is: "the payload")
        let method = try find("remote_notification")
        let outcome: Result<Answers, PealError> = await withCheckedContinuation { continuation in
            Self.send(method, payload, limit, Receiver { continuation.resume(returning: $0) })
        }
        return try outcome.get()
    }

    /// Who waits for the answers.
    private final class Receiver {
        private let receive: (Result<Answers, PealError>) -> Void
        /// Why nobody was asked.
        var failure: PealError?

        init(_ receive: @escaping (Result<Answers, PealError>) -> Void) { self.receive = receive }

        func end(_ report: peal_completion_report?) {
            if let failure { return receive(.failure(failure)) }
            if let report { receive(.success(Answers(report))) }
        }
    }

    /// - Parameter receiver: Is told the end once, on any thread.
    private static func send(_ method: peal_method, _ payload: String, _ limit: Duration?, _ receiver: Receiver) {
        var options = peal_completion_options()
        options.size = MemoryLayout<peal_completion_options>.size
        options.policy = PEAL_POLICY_MAX
        options.timeout = Milliseconds.limit(limit)
        options.done = { context, report in
            guard let context else { return }
            Box.object(context, as: Receiver.self).end(report?.pointee)
            Box.release(context)
        }
        options.context = Box.retain(receiver)
        var done = peal_completion()
        let made = peal_completion_create(&options, &done)
        guard made.rawValue >= 0 else {
            receiver.failure = PealError.failure(made)
            receiver.end(nil)
            return Box.release(options.context)
        }
        let status = payload.withCString { text in
            var text: UnsafePointer<CChar>? = text
            return withUnsafeMutablePointer(to: &text) { text in
                withUnsafeMutablePointer(to: &done) { done in
                    peal_send(method, [UnsafeMutableRawPointer(text), UnsafeMutableRawPointer(done)], 2, nil, nil)
                }
            }
        }
        guard status.rawValue < 0 else { return }
        // Nobody was asked, so that nobody else ends it.
        receiver.failure = PealError.failure(status)
        _ = peal_completion_cancel(done)
    }
}

extension Lifecycle.Answers {
    fileprivate init(_ report: peal_completion_report) {
        result = report.completed == 0 ? nil : report.result
        completed = report.completed
        dropped = report.dropped
        isLate = report.status == PEAL_ERROR_TIMEOUT
    }
}
