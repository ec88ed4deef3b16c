public import CPeal

extension Center {
    /// Calls a method on all observers, and drops their results.
    ///
    ///     try center.broadcast(Chat.onMessage, "lobby", 3)
    ///
    /// The same as `try center.method(Chat.onMessage)("lobby", 3)`, with a lookup in the center's cache.
    ///
    /// - Parameters:
    ///   - method: The method to broadcast.
    ///   - arguments: The observers' arguments.
    /// - Returns: How many observers there were.
    /// - Throws: ``Status/conflict`` if the center has the method with another prototype; ``Status/handle`` once
    ///   the center has ended; ``Status/depth`` and ``Status/recursion`` from within callbacks; ``Status/argument`` for
    ///   a string with a zero inside. No observer was called then.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func broadcast<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> Delivery {
        guard method.signature.needsNoEncoding, let found = cache.find(method.signature.location) else {
            return try broadcastByGeneralPath(method, repeat each arguments)
        }
        var calls = 0
        let status = BoundMethod<Result, repeat each Parameter>.sendPlainly(
            repeat each arguments, to: found.method, options: nil, result: nil, &calls)
        if _slowPath(status.rawValue < 0) {
            if status == PEAL_ERROR_HANDLE { return try broadcastByGeneralPath(method, repeat each arguments) }
            throw PealError.failure(status)
        }
        return Delivery(status: Status(rawValue: Int32(status.rawValue)), calls: calls)
    }

    /// Calls a method with any arguments, also one that is not in the cache or whose cached handle is stale. It is not
    /// inlined, so that the fast path stays short.
    @inlinable @inline(never)
    func broadcastByGeneralPath<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> Delivery {
        let bound = try self.method(method)
        do throws(PealError) {
            return try bound.send(repeat each arguments, options: nil, result: nil)
        } catch {
            return try retryResolving(bound, method.signature, error).send(
                repeat each arguments, options: nil, result: nil)
        }
    }

    /// Calls a method on observers, and returns the result of its policy.
    ///
    ///     if try center.ask(Chat.mayClose) { … }
    ///
    /// - Parameters:
    ///   - method: The method to broadcast.
    ///   - arguments: The observers' arguments.
    /// - Returns: The result of the policy.
    /// - Throws: As a broadcast; ``Status/policy`` where the policy gives no single result.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @inlinable
    public func ask<Owner, Result: PealValue, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> Result {
        let bound = try self.method(method)
        do throws(PealError) {
            return try bound.ask(repeat each arguments)
        } catch {
            return try retryResolving(bound, method.signature, error).ask(repeat each arguments)
        }
    }

    /// Calls a method on all observers, and returns all results, in the order of the calls.
    ///
    /// - Parameters:
    ///   - method: The method to broadcast.
    ///   - arguments: The observers' arguments.
    /// - Returns: The results; none when no observer was called.
    /// - Throws: As a broadcast.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send_with`.
    @inlinable
    public func collect<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> [Result.Answer] {
        let bound = try self.method(method)
        do throws(PealError) {
            return try bound.collect(repeat each arguments)
        } catch {
            return try retryResolving(bound, method.signature, error).collect(repeat each arguments)
        }
    }

    /// Refuses ``Each`` result as one.
    @available(
        *, unavailable,
        message:
            "the method has the result of each observer: collect them, or name a policy, as in method(_:).using(.sum).ask()"
    )
    public func ask<Owner, Result: PealValue, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Each<Result>, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) -> Result {
        try self.method(method).using(.last).ask(repeat each arguments)
    }

    /// Refuses a method without a result.
    @available(*, unavailable, message: "the method has no result: broadcast it")
    public func ask<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) {
        try broadcast(method, repeat each arguments)
    }

    /// Refuses a method without a result.
    @available(*, unavailable, message: "the method has no results to collect: broadcast it")
    public func collect<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws(PealError) {
        try broadcast(method, repeat each arguments)
    }

    /// The current method, after the cached one has ended: its protocol was removed with the owner that defined it. No
    /// observer was called then.
    @usableFromInline
    func retryResolving<Result, each Parameter: PealParameter>(
        _ old: BoundMethod<Result, repeat each Parameter>, _ signature: MethodSignature, _ error: PealError
    ) throws(PealError) -> BoundMethod<Result, repeat each Parameter> {
        guard error.status == .handle else { throw error }
        let found = try resolve(signature)
        guard found.method.id != old.handle.id else { throw error }
        return BoundMethod(found, needsNoEncoding: signature.needsNoEncoding)
    }
}

extension BoundMethod where Result == Status {
    /// Calls observers that may fail, and throws their failure.
    ///
    ///     try center.method(Files.save).broadcast("notes.txt")
    ///
    /// The method's policy chooses the failure: with `firstNonzero` the first one, with `min` that with the least
    /// number.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The number of calls.
    /// - Throws: The error that an observer in Swift threw on this thread; ``PealError`` with the status of another
    ///   observer; else as a broadcast of a method without a result, and no observer was called then.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func broadcast(_ arguments: repeat each Parameter) throws -> Delivery {
        ThrownError.clear()
        let answer = try answer(repeat each arguments)
        try answer.result.throwFailure()
        return answer.delivery
    }
}

extension Center {
    /// Calls observers that may fail, and throws their failure.
    ///
    ///     try center.broadcast(Files.save, "notes.txt")
    ///
    /// - Parameters:
    ///   - method: The method to broadcast. Its policy chooses the failure.
    ///   - arguments: The observers' arguments.
    /// - Returns: The number of calls.
    /// - Throws: The error that an observer in Swift threw on this thread; ``PealError`` with the status of another
    ///   observer; else as a broadcast of a method without a result, and no observer was called then.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func broadcast<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>, _ arguments: repeat each Parameter
    ) throws -> Delivery {
        let bound = try self.method(method)
        do {
            return try bound.broadcast(repeat each arguments)
        } catch let error as PealError {
            return try retryResolving(bound, method.signature, error).broadcast(repeat each arguments)
        }
    }
}
