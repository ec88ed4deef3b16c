public import CPeal

extension ServiceProvider {
    /// Calls a closure with the instance, which is created on first use.
    ///
    /// Cheaper than ``get()``: it writes to no memory that other threads write to. The instance is not destroyed until
    /// the closure returns, also when the service is removed meanwhile. So keep it short.
    ///
    /// - Parameter body: Called once, on this thread, unless this throws.
    /// - Returns: The closure's result.
    /// - Throws: ``PealError`` as ``get()``; then the closure was not called.
    ///
    /// Any thread; it waits for creations. The C interface's `peal_scope_begin` and `peal_scope_end`.
    @discardableResult @inlinable
    public func with<Result>(_ body: (Instance) -> Result) throws(PealError) -> Result {
        var scope = peal_scope()
        let instance = try begin(&scope)
        defer { _ = peal_scope_end(&scope) }
        return body(instance)
    }

    /// Calls a closure that throws with the instance, which is created on first use.
    ///
    /// - Parameter body: Called once, on this thread, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; ``PealError`` as ``get()``.
    ///
    /// Any thread; it waits for creations. The C interface's `peal_scope_begin` and `peal_scope_end`.
    @discardableResult @inlinable
    public func with<Result>(_ body: (Instance) throws -> Result) throws -> Result {
        var scope = peal_scope()
        let instance = try begin(&scope)
        defer { _ = peal_scope_end(&scope) }
        return try body(instance)
    }

    /// The same by a use, which inside a broadcast is cheaper than a scope. For services that are known to be of Swift.
    func withUse<Result>(_ body: (Instance) -> Result) throws(PealError) -> Result {
        var use = peal_service_use()
        try PealError.check(peal_service_use_instance(handle, &use))
        defer { _ = peal_use_release(use.use) }
        guard let pointer = use.`self` else { throw notSwift() }
        return body(try instance(at: pointer))
    }

    /// Begins a scope, and ends it where this throws.
    @inlinable @inline(__always)
    func begin(_ scope: inout peal_scope) throws(PealError) -> Instance {
        let status = peal_scope_begin(handle, mark, SwiftMark.tableSize, &scope)
        guard status.rawValue >= 0 else { throw scopeFailure(status) }
        do throws(PealError) {
            // Without a mark in the center no table was requested, and the service was not made in Swift.
            guard scope.table != nil, let pointer = scope.`self` else { throw notSwift() }
            return try instance(at: pointer)
        } catch {
            _ = peal_scope_end(&scope)
            throw error
        }
    }

    @usableFromInline
    func scopeFailure(_ status: peal_status) -> PealError {
        let error = PealError.failure(status)
        // A service of Swift has the table, so it misses a dependency.
        return error.status == .notFound && !ServiceTypes.isKnown(handle) ? notSwift() : error
    }
}
