internal import CPeal

extension Owner {
    /// Calls a closure: what it registers on this thread belongs to the owner, unless it names another.
    ///
    /// Calls nest, up to 16 deep. What is registered by callbacks that peal makes, and in tasks that the closure
    /// starts, does not count.
    ///
    /// - Parameter body: Called once, unless this throws.
    /// - Returns: What the closure returns.
    /// - Throws: ``PealError``: ``Status/handle`` when it was retired; ``Status/limit``. Then the closure was
    ///   not called.
    ///
    /// Any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () -> Result) throws(PealError) -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return body()
    }

    /// Calls a closure that throws peal's own errors: what it registers on this thread belongs to the owner.
    ///
    /// - Parameter body: Called once, unless this throws before.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; else as for one that does not throw.
    ///
    /// Any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () throws(PealError) -> Result) throws(PealError) -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return try body()
    }

    /// Calls a closure that throws anything: what it registers on this thread belongs to the owner.
    ///
    /// - Parameter body: Called once, unless this throws before.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; else as for one that does not throw.
    ///
    /// Any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return try body()
    }
}
