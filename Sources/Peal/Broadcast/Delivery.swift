/// What became of a broadcast.
public struct Delivery: Hashable, Sendable {
    /// ``Status/ok``; ``Status/deferred`` when nothing was called yet; ``Status/rejected`` when a full queue refused
    /// its calls, and the others were made.
    public let status: Status
    /// How many observers were called, or have the call on their queue.
    public let calls: Int

    @inlinable
    init(status: Status, calls: Int) {
        self.status = status
        self.calls = calls
    }
}
