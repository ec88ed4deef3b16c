/// A share of an instance, which lives until the last use has ended.
public struct ServiceUse: Sendable {
    /// Of the instance.
    public let number: UInt64
    /// What is `self` for the functions of the tables. The service's own: it says which threads may use it.
    public nonisolated(unsafe) let target: UnsafeMutableRawPointer

    /// Gives the use back. The last one ends a removed instance: call with no lock held.
    public func end() {}
}
