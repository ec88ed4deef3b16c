internal import CPealSupport

/// The innermost call of an observer on the calling thread.
public struct RunningCall {
    public let method: Method
    public let observation: UInt64
    /// The sender's number; 0: none.
    public let origin: UInt64
    /// The number of the broadcast; 0: none.
    public let broadcast: UInt64
    /// In nanoseconds of the monotonic clock; 0 for a call on no queue, or if the time is not known.
    public let enqueuedAt: UInt64
    /// The monotonic time in nanoseconds until which a gathering waits for the result; 0: none.
    public let deadline: UInt64

    private static func running() -> peal_running_call? {
        var running = peal_running_call()
        return peal_thread_running_call(&running) ? running : nil
    }

    public static func current() throws(Failure) -> RunningCall {
        guard let running = running(), let method = Handles.methods.find(running.method) else {
            throw Failure(
                .state, "no observer is called on this thread; read the call from inside a function of an observer")
        }
        let sending = running.sending
        let gathering = running.hazard?.pointee.gathering ?? 0
        return RunningCall(
            method: method, observation: running.observation, origin: sending?.pointee.origin ?? 0,
            broadcast: sending?.pointee.broadcast ?? 0, enqueuedAt: sending.map { peal_sending_time($0) } ?? 0,
            deadline: gathering == 0 ? 0 : Completion.find(gathering)?.deadline ?? 0)
    }
}

/// The answers of handlers.
extension RunningCall {
    /// Marks the call, so that the policy ignores its result.
    public static func abstain() throws(Failure) {
        try withHandlersCall { (hazard, _) throws(Failure) in
            guard hazard.pointee.answer != PEAL_ANSWER_LATER.rawValue else {
                throw Failure(
                    .state, "the answer of this call is deferred; release its token with peal_completion_release")
            }
            hazard.pointee.answer = PEAL_ANSWER_NONE.rawValue
        }
    }

    /// Makes tokens by which the call is answered later. Each further one counts as one more observer of the gathering.
    ///
    /// - Parameter store: Receives the index and the id of each token.
    public static var maximumAnswers: Int { 65_536 }

    public static func wrongCount(_ count: Int) -> Failure {
        Failure(
            .argument,
            "the count of tokens is \(count); a call is answered at least once, and \(maximumAnswers) times at most")
    }

    public static func deferAnswers(_ count: Int, store: (Int, UInt64) -> Void) throws(Failure) {
        try withHandlersCall { (hazard, record) throws(Failure) in
            guard let completion = Completion.find(hazard.pointee.gathering),
                let method = Handles.methods.find(peal_hazard_method(hazard)),
                hazard.pointee.answer == PEAL_ANSWER_GIVEN.rawValue
            else {
                throw Failure(
                    .state,
                    "no gathering waits for the result of this call; return the result, or call peal_call_abstain")
            }
            // The tokens settle the call, also if they cannot be made.
            hazard.pointee.answer = PEAL_ANSWER_LATER.rawValue
            for index in 0..<count {
                guard
                    let token = completion.deferReply(
                        from: record.pointee.id, size: method.resultSize, for: AnsweredCalls.owner(of: record),
                        isReserved: index == 0 && hazard.pointee.is_reserved)
                else { throw .staleCompletion }
                store(index, token)
            }
        }
    }

    private static func withHandlersCall<Value>(
        _ body: (Broadcast.Hazard, Observer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let running = running(), let record = running.observer, record.handler != nil,
            let hazard = running.hazard
        else {
            throw Failure(.state, "no handler is called on this thread; call this function inside of a handler")
        }
        return try body(hazard, record)
    }
}
