import CPeal

/// How an observer is registered.
public struct ObserveOptions: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Called once, also when broadcasts race.
    public static let once = ObserveOptions(rawValue: PEAL_OBSERVE_ONCE.rawValue)
    /// In the place of all registrations of the same target.
    public static let replace = ObserveOptions(rawValue: PEAL_OBSERVE_REPLACE.rawValue)
    /// Beside other registrations of the same target.
    public static let allowDuplicate = ObserveOptions(rawValue: PEAL_OBSERVE_ALLOW_DUPLICATE.rawValue)
    /// Blocked until it is unblocked.
    public static let blocked = ObserveOptions(rawValue: PEAL_OBSERVE_BLOCKED.rawValue)
}
