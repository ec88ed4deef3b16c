public import CPeal

extension BoundMethod where Result: PealValue {
    /// Calls observers, and returns the result of the method's policy.
    ///
    /// When no observer is called: `false` for `any` and `firstTrue`, `true` for `every`, the argument itself for
    /// `chain`, else zero.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The result of the policy.
    /// - Throws: ``Status/policy`` where the policy gives no single result: ``Policy/all`` drops them,
    ///   ``Policy/collect`` and ``Policy/fold`` are called by ``collect(_:)`` and ``fold(into:_:combine:)``. Else as a
    ///   broadcast.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`, and `peal_send_with` for another policy.
    @inlinable
    public func callAsFunction(_ arguments: repeat each Parameter) throws(PealError) -> Result {
        try ask(repeat each arguments)
    }

    /// Calls observers, and returns the result of the policy: the call of the method itself, by a name.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The result of the policy.
    /// - Throws: As the call of the method.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @inlinable
    public func ask(_ arguments: repeat each Parameter) throws(PealError) -> Result {
        try answer(repeat each arguments).result
    }

    /// Calls observers, and returns the result of the policy and the outcome of the broadcast.
    ///
    ///     let (mayClose, delivery) = try center.method(Chat.mayClose).answer()
    ///     if delivery.calls == 0 { print("no observer was called") }
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The result of the policy, and the number of calls.
    /// - Throws: As the call of the method.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @inlinable
    public func answer(_ arguments: repeat each Parameter) throws(PealError) -> (result: Result, delivery: Delivery) {
        guard hasSingleResult else { throw noSingleResult() }
        // The C interface fills the room unless the broadcast fails.
        return try withUnsafeTemporaryAllocation(of: Result.CValue.self, capacity: 1) { room throws(PealError) in
            let pointer = room.baseAddress.unsafelyUnwrapped
            guard Result.isItsOwnRepresentation else {
                return try copiedAnswer(repeat each arguments, pointer: pointer)
            }
            let delivery =
                if isOwnPolicy {
                    try send(repeat each arguments, options: nil, result: pointer)
                } else {
                    try sendWithPolicy(repeat each arguments, result: pointer)
                }
            return (Result(cValue: pointer.pointee), delivery)
        }
    }

    /// Copies the answer while the arguments exist, because an observer may return a pointer to one.
    @inlinable
    func copiedAnswer(
        _ arguments: repeat each Parameter, pointer: UnsafeMutablePointer<Result.CValue>
    ) throws(PealError) -> (result: Result, delivery: Delivery) {
        var calls = 0
        var result: Result?
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = isOwnPolicy ? PEAL_POLICY_METHOD : policy
        let status = try Self.withEncoded(repeat each arguments) { list, count in
            let status = peal_send_with(handle, list, count, &options, pointer, &calls)
            if status.rawValue >= 0 { result = Result(cValue: pointer.pointee) }
            return status
        }
        return (result.unsafelyUnwrapped, Delivery(status: Status(status), calls: calls))
    }

    @inlinable @inline(__always)
    var hasSingleResult: Bool {
        policy != PEAL_POLICY_ALL && policy != PEAL_POLICY_COLLECT && policy != PEAL_POLICY_FOLD
    }

    @usableFromInline
    func noSingleResult() -> PealError {
        PealError(
            status: .policy,
            message: policy == PEAL_POLICY_ALL
                ? "the method drops its results; declare it with a policy, or ask it with using(_:)"
                : "the method has many results; use collect or fold")
    }
}

extension BoundMethod where Result == Void {
    /// Refused: there is no result.
    @available(*, unavailable, message: "the method has no result: broadcast it")
    public func ask(_ arguments: repeat each Parameter) {}

    /// Refused: there are no results.
    @available(*, unavailable, message: "the method has no results to collect: broadcast it")
    public func collect(_ arguments: repeat each Parameter) {}
}

extension BoundMethod {
    /// Refused: the method has one result for each observer.
    @available(
        *, unavailable,
        message: "the method has the result of each observer: collect them, or name a policy, as in using(.sum).ask()"
    )
    public func ask<Answer: PealValue>(_ arguments: repeat each Parameter) -> Answer where Result == Each<Answer> {
        fatalError("unavailable")
    }
}

extension BoundMethod where Result: PealAnswer {
    /// The same method with another policy.
    ///
    ///     let sum = try center.method(Chat.votes).using(.sum)("lobby")
    ///
    /// The call throws ``Status/policy`` for a policy that the result does not fit.
    ///
    /// - Parameter policy: The policy of broadcasts by the returned method.
    /// - Returns: The method with that policy. This one does not change.
    ///
    /// Thread rule: any thread. The C interface's `struct peal_send_options`.
    public func using(_ policy: SinglePolicy) -> BoundMethod<Result.Answer, repeat each Parameter> {
        BoundMethod<Result.Answer, repeat each Parameter>(self, policy: policy.policy.cValue)
    }

    @inlinable
    func sendWithPolicy(
        _ arguments: repeat each Parameter, result: UnsafeMutableRawPointer?
    ) throws(PealError) -> Delivery {
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = policy
        return try send(repeat each arguments, options: &options, result: result)
    }

    /// Calls observers, and drops their results. The policy decides how many are called.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The number of calls.
    /// - Throws: As a broadcast of a method without a result.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func broadcast(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        isOwnPolicy
            ? try send(repeat each arguments, options: nil, result: nil)
            : try sendWithPolicy(repeat each arguments, result: nil)
    }
}

extension BoundMethod where Result: PealAnswer {
    /// Calls all observers, and returns all results, in the order of the calls.
    ///
    /// The method's policy does not matter here. Observers with queues answer too late for this:
    /// ``gather(_:timeout:from:except:)`` waits for them.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The results; none when no observer was called.
    /// - Throws: As a broadcast.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send_with` and `PEAL_POLICY_FOLD`.
    @inlinable
    public func collect(_ arguments: repeat each Parameter) throws(PealError) -> [Result.Answer] {
        try fold(into: [], repeat each arguments) { results, result in
            results.append(result)
            return true
        }
    }

    /// Calls observers, and passes each result to a function, which decides whether to continue.
    ///
    ///     let longest = try names.fold(into: "") { longest, name in
    ///         if name.count > longest.count { longest = name }
    ///         return true
    ///     }
    ///
    /// - Parameters:
    ///   - initial: The result when no observer is called.
    ///   - arguments: The observers' arguments.
    ///   - combine: Folds one result in. Returns `false` to stop. Runs on this thread, with no lock held.
    /// - Returns: The folded value.
    /// - Throws: As a broadcast.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send_with` and `PEAL_POLICY_FOLD`.
    @inlinable
    public func fold<Accumulator>(
        into initial: Accumulator, _ arguments: repeat each Parameter,
        combine: (inout Accumulator, Result.Answer) -> Bool
    ) throws(PealError) -> Accumulator {
        var accumulator = initial
        try withoutActuallyEscaping(combine) { combine throws(PealError) in
            try withUnsafeMutablePointer(to: &accumulator) { accumulator throws(PealError) in
                var step = FoldStep { result in
                    combine(&accumulator.pointee, Result.Answer.read(from: result))
                }
                try withUnsafeMutablePointer(to: &step) { step throws(PealError) in
                    var options = FoldStep.options(step)
                    // C requires an accumulator that is not NULL. The step's function ignores it, so the step itself
                    // serves.
                    _ = try send(repeat each arguments, options: &options, result: step)
                }
            }
        }
        return accumulator
    }
}

/// A fold's function, without the types of its results.
@usableFromInline
struct FoldStep {
    private let take: (UnsafeRawPointer) -> Bool

    @usableFromInline
    init(_ take: @escaping (UnsafeRawPointer) -> Bool) { self.take = take }

    /// The options that fold by a step.
    @usableFromInline
    static func options(_ step: UnsafeMutablePointer<FoldStep>) -> peal_send_options {
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = PEAL_POLICY_FOLD
        options.fold_context = UnsafeMutableRawPointer(step)
        options.fold = { context, _, result in
            guard let context, let result else { return false }
            return context.assumingMemoryBound(to: FoldStep.self).pointee.take(result)
        }
        return options
    }
}
