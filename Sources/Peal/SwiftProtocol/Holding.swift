/// Whether a registration keeps the observer alive.
public enum Holding: Sendable {
    /// It does not: the registration ends once the object is gone.
    case weakly
    /// It does, until it ends.
    case strongly
}
