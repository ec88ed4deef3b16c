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

    /// Throws if a status of the C interface is a failure, and returns any other status. For programs that call C
    /// functions too.
    ///
    ///     try PealError.check(peal_clock_set_manual(true))
    ///
    /// - Parameter status: The status that the C function has returned on this thread just now.
    /// - Returns: The same status.
    /// - Throws: The failure with its sentence.
    ///
    /// The thread of the C function. The C interface's `peal_last_message`.
    @discardableResult @inlinable @inline(__always)
    public static func check(_ status: peal_status) throws(PealError) -> peal_status {
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
        ("with peal_type_declare", "as a PealStruct"),
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
        ("peal_clock_set_manual", "withManualClock"),
        ("name a queue in the options, or remove the flag", "name a queue by .on, or omit .latest"),
        // Remedies of prototypes in C, and those of declarations in Swift.
        ("give it a length with __counted_by, or register its type", "pass an array or an object"),
        (
            "declare its length (__counted_by), register its type, or promise with `borrowed`",
            "pass an array or an object, or promise with isBorrowed"
        ),
        (
            "give it a length, register its type with peal_type_set_object or peal_type_set_copy, or declare the method "
                + "borrowed",
            "pass an array or an object, or declare the method with isBorrowed"
        ),
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

    private static func namesC(_ text: Substring) -> Bool {
        text.contains("peal_") || text.contains("PEAL_") || text.contains("__counted_by")
    }
}

/// A kind of failure, or of success with a remark. The C interface's `PEAL_ERROR_…` of the same name (status.h).
///
/// Compare it with the constants: `error.status == .notFound`. A later library may have more.
public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in C: zero is done, above is done with a remark, below is not done.
    public let rawValue: Int32

    /// The status with a number. The number need not have a constant.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A status of the C interface.
    public init(_ status: peal_status) { self.init(rawValue: Int32(status.rawValue)) }

    /// The name of the constant: `notFound` for ``notFound``. A status of C that this module has no constant for has its
    /// name in C, and one of the program itself its number.
    public var description: String {
        if Self.failures.indices.contains(Int(-rawValue)) { return Self.failures[Int(-rawValue)] }
        if Self.remarks.indices.contains(Int(rawValue)) { return Self.remarks[Int(rawValue)] }
        return nameInC == Self.nameOfUnknown ? "status \(rawValue)" : nameInC
    }

    private static let nameOfUnknown = Status(rawValue: .min).nameInC

    /// The names of the constants, by their numbers: zero and above, and below zero.
    private static let remarks = ["ok", "deferred", "truncated", "rejected", "notWaited"]
    private static let failures = [
        "ok", "argument", "handle", "syntax", "type", "conflict", "notFound", "ambiguous", "conformance", "duplicate",
        "argumentCount", "policy", "depth", "recursion", "state", "memory", "limit", "wouldDeadlock", "timeout",
        "cycle",
        "creation", "start", "forbidden",
    ]

    /// The name in C, such as `PEAL_ERROR_HANDLE`: `peal_status_name`.
    public var nameInC: String { String(cString: peal_status_name(peal_status(rawValue: rawValue))) }

    /// The meaning of the status in a few words: `peal_status_text`.
    public var meaning: String { String(cString: peal_status_text(peal_status(rawValue: rawValue))) }

    /// True if nothing was done.
    public var isFailure: Bool { rawValue < 0 }
}

extension Status {
    /// Done: `PEAL_OK`.
    public static let ok = Status(rawValue: 0)
    /// Done later, once the enclosing broadcast has ended: `PEAL_DEFERRED`.
    public static let deferred = Status(rawValue: 1)
    /// Done, but the buffer had no room for all results: `PEAL_TRUNCATED`.
    public static let truncated = Status(rawValue: 2)
    /// Done, but a queue was full and refused its calls: `PEAL_REJECTED`.
    public static let rejected = Status(rawValue: 3)
    /// Done, without waiting for calls in progress: `PEAL_NOT_WAITED`.
    public static let notWaited = Status(rawValue: 4)
    /// An argument is NULL or out of range: `PEAL_ERROR_ARGUMENT`.
    public static let argument = Status(rawValue: -1)
    /// Invalid handle: zero, never created, already ended, or of another kind: `PEAL_ERROR_HANDLE`.
    public static let handle = Status(rawValue: -2)
    /// A text does not follow the grammar: `PEAL_ERROR_SYNTAX`.
    public static let syntax = Status(rawValue: -3)
    /// A type is unknown, incomplete or not supported: `PEAL_ERROR_TYPE`.
    public static let type = Status(rawValue: -4)
    /// A name is already defined differently: `PEAL_ERROR_CONFLICT`.
    public static let conflict = Status(rawValue: -5)
    /// No object has that name: `PEAL_ERROR_NOT_FOUND`.
    public static let notFound = Status(rawValue: -6)
    /// The name is ambiguous: `PEAL_ERROR_AMBIGUOUS`.
    public static let ambiguous = Status(rawValue: -7)
    /// The table does not fit the protocol: `PEAL_ERROR_CONFORMANCE`.
    public static let conformance = Status(rawValue: -8)
    /// The target already observes the protocol: `PEAL_ERROR_DUPLICATE`.
    public static let duplicate = Status(rawValue: -9)
    /// Wrong number of arguments for the method: `PEAL_ERROR_ARGUMENT_COUNT`.
    public static let argumentCount = Status(rawValue: -10)
    /// The policy does not fit the method: `PEAL_ERROR_POLICY`.
    public static let policy = Status(rawValue: -11)
    /// Broadcasts are nested too deeply: `PEAL_ERROR_DEPTH`.
    public static let depth = Status(rawValue: -12)
    /// The method rejects broadcasts from its own callback: `PEAL_ERROR_RECURSION`.
    public static let recursion = Status(rawValue: -13)
    /// The object's state does not allow the operation: `PEAL_ERROR_STATE`.
    public static let state = Status(rawValue: -14)
    /// Out of memory: `PEAL_ERROR_MEMORY`.
    public static let memory = Status(rawValue: -15)
    /// A limit of the library was reached: `PEAL_ERROR_LIMIT`.
    public static let limit = Status(rawValue: -16)
    /// Waiting here would deadlock: `PEAL_ERROR_WOULD_DEADLOCK`.
    public static let wouldDeadlock = Status(rawValue: -17)
    /// The time limit has expired: `PEAL_ERROR_TIMEOUT`.
    public static let timeout = Status(rawValue: -18)
    /// Circular dependency: `PEAL_ERROR_CYCLE`.
    public static let cycle = Status(rawValue: -19)
    /// A service could not be created: `PEAL_ERROR_CREATION`.
    public static let creation = Status(rawValue: -20)
    /// A module could not be started: `PEAL_ERROR_START`.
    public static let start = Status(rawValue: -21)
    /// The system forbids run-time code: `PEAL_ERROR_FORBIDDEN`.
    public static let forbidden = Status(rawValue: -22)
}

/// The state of an ended object when the function that ends it returns.
public enum Ending: Hashable, Sendable {
    /// The object has ended: none of its code runs or will run.
    case complete
    /// The object is ending. The function did not wait for its current users. The C interface's `PEAL_NOT_WAITED`.
    case pending

    /// The status of a function of the C interface.
    init(checking status: peal_status) throws(PealError) {
        self = try PealError.check(status) == PEAL_NOT_WAITED ? .pending : .complete
    }
}
