import PealCall

extension Failure {
    /// The failure for a mistake in a text. `subject` names the kind of text.
    init(_ error: SyntaxError, in subject: String) {
        self.init(Kind(error.kind), "\(subject): \(error.sentence)")
    }
}

extension Failure.Kind {
    init(_ kind: SyntaxError.Kind) {
        self =
            switch kind {
            case .syntax: .syntax
            case .unknownType, .unsupported: .type
            case .limit: .limit
            case .conflict: .conflict
            }
    }
}
