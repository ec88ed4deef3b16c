import CPeal

extension Center {
    /// Delays the notifications of this thread's sets of properties, in any center, until the body has returned.
    ///
    ///     try Center.batch {
    ///         try width.set(800)
    ///         try height.set(600)
    ///     }
    ///
    /// Values change at once. For each property that was set, observers are notified once, with the first old value
    /// and the last new one. Batches nest: the outermost counts.
    ///
    /// - Parameter body: Sets properties. When it throws, its sets so far are notified all the same.
    /// - Returns: The body's result.
    /// - Throws: The body's error; ``Status/memory``.
    ///
    /// Any thread; each has its own. The C interface's `peal_batch_begin`, `peal_batch_end`.
    @discardableResult
    public static func batch<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_batch_begin())
        defer { _ = peal_batch_end() }
        return try body()
    }
}
