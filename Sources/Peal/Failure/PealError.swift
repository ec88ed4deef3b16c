public import CPeal

/// A failure of peal: its kind, and a sentence with the cause and the remedy.
public struct PealError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind.
    public let status: Status
    /// The sentence.
    public let message: String

    /// An error of one's own, for code that extends peal.
    public init(status: Status, message: String) {
        self.status = status
        self.message = message
    }

    /// The kind and the sentence: `notFound: there is no service backup in this center; register it first`.
    public var description: String { "\(status): \(message)" }

    /// The failure of a task that waits and is cancelled.
    static let cancelled = PealError(status: .state, message: "the task was cancelled while it waited")

    /// The last failure on this thread: `peal_last_message`.
    static func last(_ status: Status) -> PealError {
        PealError(status: status, message: SwiftWords.sentence(String(cString: peal_last_message())))
    }

    /// Throws what a function of the C interface reports as a failure; returns what it reports besides.
    @discardableResult @inlinable @inline(__always)
    static func check(_ status: peal_status) throws(PealError) -> peal_status {
        if status.rawValue < 0 { throw failure(status) }
        return status
    }

    @usableFromInline
    static func failure(_ status: peal_status) -> PealError { last(Status(status)) }
}
