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
    /// Any thread, also from a callback. The C interface's `peal_send`, and `peal_send_with` for another policy.
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
    /// Any thread, also from a callback. The C interface's `peal_send`.
    @inlinable
    public func ask(_ arguments: repeat each Parameter) throws(PealError) -> Result {
        try answer(repeat each arguments).result
    }

    /// Calls observers, and returns the result of the policy and the outcome of the broadcast.
    ///
    ///     let (mayClose, delivery) = try center.method(Chat.mayClose).answer()
    ///     if delivery.calls == 0 { print("nobody was asked") }
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The result of the policy, and the number of calls.
    /// - Throws: As the call of the method.
    ///
    /// Any thread, also from a callback. The C interface's `peal_send`.
    @inlinable
    public func answer(_ arguments: repeat each Parameter) throws(PealError) -> (result: Result, delivery: Delivery) {
        guard hasSingleResult else { throw noSingleResult() }
        // The C interface fills the room unless the broadcast fails.
        return try withUnsafeTemporaryAllocation(of: Result.CValue.self, capacity: 1) { room throws(PealError) in
            let place = room.baseAddress.unsafelyUnwrapped
            guard Result.isItsOwnRepresentation else { return try copiedAnswer(repeat each arguments, place: place) }
            let delivery =
                if isOwnPolicy {
                    try send(repeat each arguments, options: nil, result: place)
                } else {
                    try sendWithPolicy(repeat each arguments, result: place)
                }
            return (Result(cValue: place.pointee), delivery)
        }
    }

    /// Copies the answer while the arguments exist, because an observer may return a pointer to one.
    @inlinable
    func copiedAnswer(
        _ arguments: repeat each Parameter, place: UnsafeMutablePointer<Result.CValue>
    ) throws(PealError) -> (result: Result, delivery: Delivery) {
        var calls = 0
        var result: Result?
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = isOwnPolicy ? PEAL_POLICY_METHOD : policy
        let status = try Self.lend(repeat each arguments) { list, count in
            let status = peal_send_with(handle, list, count, &options, place, &calls)
            if status.rawValue >= 0 { result = Result(cValue: place.pointee) }
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
    /// Any thread. The C interface's `struct peal_send_options`.
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
    /// Any thread, also from a callback. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func broadcast(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        isOwnPolicy
            ? try send(repeat each arguments, options: nil, result: nil)
            : try sendWithPolicy(repeat each arguments, result: nil)
    }
}
