/// Why an operation was not done: a kind for programs, a sentence for people.
public struct Failure: Error, Sendable {
    public enum Kind: CaseIterable, Sendable {
        case argument, handle, syntax, type, conflict, notFound, ambiguous, conformance, duplicate
        case argumentCount, policy, depth, recursion, state, memory, limit
        case wouldDeadlock, timeout
        case cycle, creation, start, forbidden
    }

    public let kind: Kind
    /// The cause and the remedy.
    public let sentence: String

    public init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }

    public static let outOfMemory = Failure(.memory, "out of memory; nothing was changed")
}
