internal import CPeal

/// How all answers to a method with a completion ended. `struct peal_completion_info` in C.
public struct Answers: Hashable, Sendable {
    /// ``Status/ok`` when all have answered or were dropped; ``Status/timeout``; ``Status/state`` when the completion was
    /// cancelled.
    public let status: Status
    /// The results, folded by the completion's policy; `nil` when no observer has answered.
    public let result: Int64?
    /// How many observers there were.
    public let asked: Int
    /// How many answered.
    public let completed: Int
    /// How many will not.
    public let dropped: Int

    /// True if the time limit has passed before all had answered.
    public var isLate: Bool { status == .timeout }

    init(_ report: peal_completion_info) {
        status = Status(report.status)
        result = report.completed == 0 ? nil : report.result
        asked = report.observers
        completed = report.completed
        dropped = report.dropped
    }
}
