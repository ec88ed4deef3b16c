internal import CPeal

extension Service {
    /// Calls a closure with the instance, which is created where there is none yet.
    ///
    /// Cheaper than ``get()``: nothing is written that another thread writes. The instance stays as it is until
    /// the closure returns, also when the service is removed meanwhile. So keep it short.
    ///
    /// - Parameter body: Called once, on this thread, unless this throws.
    /// - Returns: What the closure returns.
    /// - Throws: ``PealError`` as ``get()``; then the closure was not called.
    ///
    /// Any thread; it waits for creations. In C, `peal_scope_begin` and `peal_scope_end`.
    @discardableResult
    public func with<Result>(_ body: (Instance) -> Result) throws(PealError) -> Result {
        var scope = try begin()
        defer { _ = peal_scope_end(&scope) }
        return body(try instance(of: scope))
    }

    /// The same for a closure that throws: what it throws is thrown on.
    @discardableResult
    public func with<Result>(_ body: (Instance) throws -> Result) throws -> Result {
        var scope = try begin()
        defer { _ = peal_scope_end(&scope) }
        return try body(try instance(of: scope))
    }

    private func begin() throws(PealError) -> peal_scope {
        var scope = peal_scope()
        guard mark.number != 0 else {
            // Nobody has made a service in Swift here. A handle that is stale is to be told all the same.
            _ = try info()
            throw notSwift()
        }
        let status = peal_scope_begin(handle, mark, SwiftMark.tableSize, &scope)
        guard status.rawValue < 0 else { return scope }
        let error = PealError.failure(status)
        // The same status tells of a dependency that is missing; the sentence names what is not there.
        throw status == PEAL_ERROR_NOT_FOUND && error.message.contains(SwiftMark.protocolName) ? notSwift() : error
    }

    private func instance(of scope: peal_scope) throws(PealError) -> Instance {
        guard let pointer = scope.`self` else { throw notSwift() }
        return try instance(at: pointer)
    }
}
