/// What came of asking all observers, those on queues too. `struct peal_completion_report` in C.
public struct Gathered<Result: Sendable>: Sendable {
    /// The results, in the order in which they came.
    public let results: [Result]
    /// ``Status/ok`` when all have answered or cannot; ``Status/timeout``; ``Status/state`` when the task was
    /// cancelled.
    public let status: Status
    /// How many observers there were.
    public let asked: Int
    /// How many will not answer: they ended, or their queue was full.
    public let dropped: Int
}
