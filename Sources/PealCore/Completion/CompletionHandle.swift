/// What the number of a completion leads to: the whole, or one observer's token.
public final class CompletionHandle: Sendable {
    enum Role { case whole, token }

    let completion: Completion
    let role: Role
    let number: UInt64
    /// Of the observer that has the token; 0: none.
    let owner: UInt64

    init(_ completion: Completion, _ role: Role, number: UInt64, owner: UInt64 = 0) {
        self.completion = completion
        self.role = role
        self.number = number
        self.owner = owner
    }
}
