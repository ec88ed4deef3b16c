#if canImport(Metrics)
public import Metrics
public import Peal

extension Center {
    /// Counts the broadcasts of a method.
    ///
    ///     let counting = try center.count(Chat.onMessage, by: Counter(label: "chat.messages"))
    ///
    /// - Parameters:
    ///   - method: The method to observe. It has no result.
    ///   - counter: Incremented by one for each broadcast, on the broadcasting thread.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As an observation of the method.
    ///
    /// Thread rule: any thread.
    public func count<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>, by counter: Counter
    ) throws(PealError) -> ObserverToken {
        try observe(method) { (_: repeat each Parameter) in counter.increment() }
    }
}

/// The counts of a queue as metrics: LABEL.waiting, LABEL.delivered, LABEL.dropped and LABEL.rejected.
///
///     let metrics = QueueMetrics(queue, label: "orders.queue")
///     let timer = try QueueTimer(every: .seconds(10), on: queue) { try? metrics.record() }
public struct QueueMetrics: Sendable {
    private let queue: Queue
    private let waiting: Gauge
    private let delivered: Gauge
    private let dropped: Gauge
    private let rejected: Gauge

    /// Makes the metrics of a queue.
    ///
    /// - Parameters:
    ///   - queue: *Retained* by the metrics.
    ///   - label: The start of their labels.
    ///   - dimensions: The dimensions of each.
    public init(_ queue: Queue, label: String, dimensions: [(String, String)] = []) {
        self.queue = queue
        waiting = Gauge(label: label + ".waiting", dimensions: dimensions)
        delivered = Gauge(label: label + ".delivered", dimensions: dimensions)
        dropped = Gauge(label: label + ".dropped", dimensions: dimensions)
        rejected = Gauge(label: label + ".rejected", dimensions: dimensions)
    }

    /// Records the counts.
    ///
    /// - Throws: ``Status/handle`` when the queue has ended.
    ///
    /// Thread rule: any thread.
    public func record() throws(PealError) {
        let counts = try queue.info()
        waiting.record(counts.waiting)
        delivered.record(counts.delivered)
        dropped.record(counts.dropped)
        rejected.record(counts.rejected)
    }
}
#endif
