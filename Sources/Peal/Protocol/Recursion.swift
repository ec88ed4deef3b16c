/// What a broadcast of a method inside a callback of the same method does.
public enum Recursion: Hashable, Sendable {
    /// It runs at once.
    case recursive
    /// It runs when the outer one has ended, with a copy of its arguments.
    case deferred
    /// It is refused: ``Status/recursion``.
    case rejected

    /// The option of a method's text; nothing for the one that goes without saying.
    var text: String? {
        switch self {
        case .recursive: nil
        case .deferred: "defer"
        case .rejected: "reject"
        }
    }
}
