/// How all answers together ended. Laid out as `struct peal_completion_report`.
public struct CompletionReport: BitwiseCopyable, Sendable {
    public var status: Int32
    public var result: Int64
    public var asked: Int
    public var completed: Int
    public var dropped: Int
}

/// Why a completion ended.
public enum CompletionEnd: Sendable { case answered, timedOut, cancelled }
