public import CPeal

/// A failure of peal: its kind, and a sentence with the cause and the remedy.
public struct PealError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind.
    public let status: Status
    /// The sentence.
    public let message: String

    /// Makes an error, for code that extends peal.
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

    /// Throws if a status of the C interface is a failure, and returns any other status.
    @discardableResult @inlinable @inline(__always)
    static func check(_ status: peal_status) throws(PealError) -> peal_status {
        if status.rawValue < 0 { throw failure(status) }
        return status
    }

    @usableFromInline
    static func failure(_ status: peal_status) -> PealError { last(Status(status)) }
}

/// Sentences of the C interface in the words of the Swift API.
enum SwiftWords {
    /// Functions and constants of C that sentences name, and what a Swift program writes instead.
    private static let words: [(c: String, swift: String)] = [
        ("peal_method_find", "Center.method(_:)"),
        ("peal_protocol_define", "Center.define(_:)"),
        ("peal_type_declare", "PealStruct"),
        ("peal_property_define", "Property(_:initially:in:)"),
        ("peal_timer_destroy", "cancel()"),
        ("peal_queue_create", "Queue()"),
        ("peal_queue_run", "a run of the queue"),
        ("PEAL_QUEUE_EXECUTOR", "an executor"),
        ("PEAL_OBSERVE_REPLACE", ".replacing"),
        ("PEAL_OBSERVE_ALLOW_DUPLICATE", ".allowingDuplicates"),
        ("PEAL_OBSERVE_BORROWED", ".borrowing"),
        ("PEAL_PROPERTY_IGNORE_EQUAL", "ignoresEqual"),
        ("PEAL_PROPERTY_KEEP_LATEST", ".latest"),
    ]

    /// The sentence, with its remedy after the last semicolon. A remedy that only C has is omitted.
    static func sentence(_ sentence: String) -> String {
        guard namesC(sentence[...]) else { return sentence }
        var text = sentence
        for word in words { text.replace(word.c, with: word.swift) }
        guard namesC(text[...]), let semicolon = text.lastIndex(of: ";"), namesC(text[semicolon...]) else {
            return text
        }
        return String(text[..<semicolon])
    }

    private static func namesC(_ text: Substring) -> Bool { text.contains("peal_") || text.contains("PEAL_") }
}
