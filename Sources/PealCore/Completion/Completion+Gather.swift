import PealCall

extension Completion {
    /// Broadcasts a method, and passes each result to the reply function on a queue. A call without a result is passed
    /// when it has ended.
    ///
    /// - Returns: The completion, and how the broadcast ended; after a failure the completion has been removed.
    public static func gather(
        _ id: UInt64, arguments: Broadcast.Arguments?, count: Int, _ options: Options
    ) throws(Failure) -> (completion: Completion, outcome: Broadcast.Outcome) {
        if let method = Handles.methods.find(id), method.traits.hasCompletion {
            throw Failure(
                .policy, "\(method.title) has a completion, which its observers answer; broadcast it with one")
        }
        let completion = try make(options, isPassed: true)
        var request = BroadcastRequest(result: nil)
        request.policy = .all
        request.gathering = completion
        request.excepted = options.excepted
        request.origin = options.origin
        let outcome = Broadcast.send(id, arguments: arguments, count: count, request: request, calls: nil)
        if outcome.isFailure { completion.abandon() } else { completion.endPassing() }
        return (completion, outcome)
    }
}
