extension Center {
    /// Calls every observer of a Swift type that is isolated to the main actor, on it.
    ///
    ///     @MainActor protocol Screen: AnyObject, Sendable { func show(_ text: String) }
    ///
    ///     try center.broadcastOnMain((any Screen).self) { $0.show("hello") }
    ///
    /// From elsewhere it is `try await`. Observers without a queue are called before this returns, in order; those
    /// on a queue at their turn there, and then on the main actor.
    ///
    /// - Parameters:
    ///   - type: The type of the registrations.
    ///   - body: Called once an observer.
    /// - Returns: How many were called, or will be, and whether a full queue refused.
    /// - Throws: ``Status/handle`` when the center has ended; ``Status/depth``. No observer was called then.
    ///
    /// The main actor. The C interface's `peal_send`.
    @MainActor @discardableResult
    public func broadcastOnMain<Observed: Sendable>(
        _ type: Observed.Type, _ body: @escaping @MainActor @Sendable (Observed) -> Void
    ) throws(PealError) -> Delivery {
        try send(MainSwiftCall(body), to: type)
    }
}
