import CPeal

extension Center {
    /// Holds back what this thread's sets of properties have to tell, in any center, until the body has returned.
    ///
    ///     try Center.batch {
    ///         try width.set(800)
    ///         try height.set(600)
    ///     }
    ///
    /// Values change at once. Of each property that was set observers are told once, with the first old value and
    /// the last new one. Batches nest: the outermost counts.
    ///
    /// - Parameter body: Sets properties. When it throws, what it has set so far is told all the same.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``Status/memory``.
    ///
    /// Any thread; each has its own. The C interface's `peal_batch_begin`, `peal_batch_end`.
    @discardableResult
    public static func batch<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_batch_begin())
        defer { _ = peal_batch_end() }
        return try body()
    }
}
