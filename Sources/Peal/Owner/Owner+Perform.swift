internal import CPeal

extension Owner {
    /// Calls a closure: its registrations on this thread belong to the owner, unless they name another.
    ///
    /// Calls nest, up to 16 deep. Registrations in callbacks of peal, and in tasks that the closure starts, do not
    /// belong to the owner.
    ///
    /// - Parameter body: Called once, unless this throws.
    /// - Returns: The closure's result.
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

    /// Calls a closure that throws peal's own errors: its registrations on this thread belong to the owner.
    ///
    /// - Parameter body: Called once, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; else as for a closure that does not throw.
    ///
    /// Any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () throws(PealError) -> Result) throws(PealError) -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return try body()
    }

    /// Calls a closure that throws anything: its registrations on this thread belong to the owner.
    ///
    /// - Parameter body: Called once, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; else as for a closure that does not throw.
    ///
    /// Any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return try body()
    }
}
