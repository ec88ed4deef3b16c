public import CPeal

/// An observation of peal's own events. It ends when nobody keeps it any more.
///
/// In C, `peal_observation`.
public final class EventObservation: Sendable {
    /// The observation in the C interface.
    public let handle: peal_observation

    init(_ handle: peal_observation) { self.handle = handle }

    deinit { end() }

    /// Ends the observation now. Once this returns, no call of its closure begins; one that another thread has
    /// begun may still be finishing. To end it twice does nothing.
    ///
    /// Any thread, also from its own call. In C, `peal_observation_remove`.
    public func end() { _ = peal_observation_remove(handle) }
}
