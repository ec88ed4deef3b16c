extension Lifecycle {
    /// Hands a remote notification to the modules, and waits until all have answered or said that they will not.
    ///
    /// - Parameters:
    ///   - payload: What came.
    ///   - limit: How long to wait; nil for no limit.
    /// - Returns: The answers; their result is the greatest.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended; ``Status/argument`` for a payload with a
    ///   zero inside.
    ///
    /// Any task; the events begin at once. The C interface's `peal_completion_create`, and the method `remote_notification`.
    public nonisolated(nonsending) func remoteNotification(
        _ payload: String, within limit: Duration? = nil
    ) async throws(PealError) -> Answers {
        let method = try center.method("remote_notification", of: "PealLifecycle", taking: String.self, Completion.self)
        return try await center.ask(method, payload, folding: .max, within: limit)
    }
}
