public import CPeal

extension BoundMethod where Result: PealValue {
    /// The same method with another policy.
    ///
    ///     let sum = try center.method(Chat.votes).using(.sum)("lobby")
    ///
    /// - Throws: Nothing yet: a policy that the result does not fit is ``Status/policy`` when it is broadcast.
    public func using(_ policy: Policy) -> BoundMethod { BoundMethod(self, policy: policy.cValue) }

    /// Calls observers, and gives their results as the method's policy says.
    ///
    /// With nobody to call: `false` for `any` and `firstTrue`, `true` for `every`, the argument itself for `chain`,
    /// else zero. `peal_send_with` in C.
    ///
    /// - Throws: ``Status/policy`` where the policy gives no single result: ``Policy/all`` drops them,
    ///   ``Policy/collect`` and ``Policy/fold`` are asked by ``collect(_:)`` and ``fold(into:_:combine:)``. Else as a
    ///   broadcast.
    @inlinable
    public func callAsFunction(_ arguments: repeat each Parameter) throws(PealError) -> Result {
        try ask(repeat each arguments)
    }

    /// The same by name.
    @inlinable
    public func ask(_ arguments: repeat each Parameter) throws(PealError) -> Result {
        try answer(repeat each arguments).result
    }

    /// The same, with what became of the broadcast.
    @inlinable
    public func answer(_ arguments: repeat each Parameter) throws(PealError) -> (result: Result, delivery: Delivery) {
        guard hasSingleResult else { throw noSingleResult() }
        var status = PEAL_OK
        var calls = 0
        var result: Result?
        let method = self
        try withArguments(repeat each arguments) { list, count in
            withUnsafeTemporaryAllocation(of: Result.CValue.self, capacity: 1) { room in
                status = method.send(list, count, to: room.baseAddress, &calls)
                if status.rawValue >= 0 { result = Result(cValue: room.baseAddress.unsafelyUnwrapped.pointee) }
            }
        }
        try PealError.check(status)
        return (result.unsafelyUnwrapped, Delivery(status: Status(status), calls: calls))
    }

    /// Calls observers, and drops their results. The policy decides how many are called.
    @discardableResult @inlinable
    public func broadcast(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        try send(repeat each arguments)
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

    @inlinable @inline(__always)
    func send(
        _ list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: Int, to result: UnsafeMutableRawPointer?,
        _ calls: inout Int
    ) -> peal_status {
        if isOwnPolicy { return peal_send(handle, list, count, result, &calls) }
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = policy
        return peal_send_with(handle, list, count, &options, result, &calls)
    }
}
