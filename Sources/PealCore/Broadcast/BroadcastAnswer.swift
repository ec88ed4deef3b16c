/// What a broadcast returns to its caller: an outcome, or what the caller's interface makes of one.
///
/// The dispatcher is generic over it, so that each caller gets its own type in a register and the calls between the
/// steps of a broadcast are jumps.
public protocol BroadcastAnswer {
    /// The broadcast has called its observers.
    static var done: Self { get }
    /// Makes an answer of any other outcome. The fast paths never call it.
    init(_ outcome: Broadcast.Outcome)
}

extension Broadcast.Outcome: BroadcastAnswer {
    public init(_ outcome: Broadcast.Outcome) { self = outcome }
}
