internal import CPeal

/// How far something has ended when the function that ends it returns.
public enum Ending: Hashable, Sendable {
    /// All of it: nothing of it runs, or will.
    case complete
    /// It is on its way out: who uses it now is not waited for. The C interface's `PEAL_NOT_WAITED`.
    case pending

    /// What a function of the C interface tells.
    init(checking status: peal_status) throws(PealError) {
        self = try PealError.check(status) == PEAL_NOT_WAITED ? .pending : .complete
    }
}
