internal import CPealSupport
import PealCall

extension Invocation {
    /// Calls a function with the caller's target.
    public func invoke(
        _ function: @escaping @convention(c) () -> Void, target: UnsafeMutableRawPointer?
    ) throws(Failure) {
        try withCall { (call, _) throws(Failure) in call.run(function, target: target) }
    }

    /// Calls one observer, as a broadcast that reaches only that one would.
    public func invoke(on observation: Observation) throws(Failure) {
        try withCall { (call, _) throws(Failure) in
            try observation.call(for: method) { entry in
                call.run(entry.pointee.function, target: entry.pointee.target)
            }
        }
    }

    /// Broadcasts the method. The invocation stores the result, except for the policies `collect` and `fold`, which
    /// have memory of their own for it.
    public func broadcast(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?
    ) throws(Failure) -> Broadcast.Outcome {
        let policy = request.policy ?? method.traits.policy
        guard policy != .collect, policy != .fold else {
            return try withArguments { (given) throws(Failure) in
                try send(given.pointers, request.sharing(given.capture), calls)
            }
        }
        return try withCall { (call, capture) throws(Failure) in
            var kept = request.sharing(capture)
            if method.resultSize > 0 { kept.result = call.result }
            let outcome = try send(call.arguments, kept, calls)
            request.result?.copyMemory(from: call.result, byteCount: method.resultSize)
            return outcome
        }
    }

    private func send(
        _ arguments: Broadcast.Arguments, _ request: BroadcastRequest, _ calls: UnsafeMutablePointer<Int>?
    ) throws(Failure) -> Broadcast.Outcome {
        let outcome = Broadcast.send(
            method.id, arguments: arguments, count: method.parameterCount, request: request,
            calls: calls)
        // Here, while the arguments are still available for the sentence.
        if let failure = BroadcastFailure.last(outcome, policy: request.policy) { throw failure }
        return outcome
    }

    /// Prepares a call with the current arguments, and stores its result if it succeeds.
    private func withCall<Value>(
        _ body: (SingleCall, ArgumentBlock?) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let size = method.resultSize
        return try withArguments { (given) throws(Failure) in
            let outcome = withUnsafeTemporaryAllocation(
                byteCount: max(CallPlan.smallResultSize, size), alignment: CopyPlan.alignment
            ) { room -> Result<Value, Failure> in
                let result = room.baseAddress.unsafelyUnwrapped
                let call = SingleCall(plan: method.plan, arguments: given.pointers, result: result)
                let outcome = Result { () throws(Failure) in try body(call, given.capture) }
                if case .success = outcome { keepResult(result, size: size) }
                return outcome
            }
            return try outcome.get()
        }
    }
}

extension BroadcastRequest {
    /// The same broadcast, whose calls on queues share the captured arguments of an invocation.
    fileprivate func sharing(_ capture: ArgumentBlock?) -> BroadcastRequest {
        var request = self
        if request.memory == 0, let capture { request.memory = capture.reference }
        return request
    }
}

extension Invocation {
    public func readResult(into destination: UnsafeMutableRawPointer, size: Int) throws(Failure) {
        try checkResult(size: size)
        withLock { destination.copyMemory(from: result, byteCount: size) }
    }

    public func writeResult(from source: UnsafeRawPointer, size: Int) throws(Failure) {
        try checkResult(size: size)
        keepResult(source, size: size)
    }

    private func keepResult(_ source: UnsafeRawPointer, size: Int) {
        withLock { result.copyMemory(from: source, byteCount: size) }
    }

    private func checkResult(size: Int) throws(Failure) {
        let expected = method.resultSize
        guard expected > 0 else { throw Failure(.type, "\(method.title) has no result; it is declared void") }
        guard size == expected else {
            throw Failure(
                .argument, "the result of \(method.title) has \(expected) bytes, but the size given is \(size)")
        }
    }
}
