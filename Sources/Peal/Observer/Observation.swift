public import CPeal
internal import Synchronization

/// A registration of an observer. It ends when nobody keeps this object any more.
///
///     let observation = try center.observe(Chat.onMessage) { room, count in … }
///
/// `peal_observation` in C.
public final class Observation: Sendable {
    /// The observation in the C interface.
    public let handle: peal_observation
    private let isKept = Atomic(false)

    /// Takes over an observation of the C interface: it ends with this object.
    public init(_ handle: peal_observation) { self.handle = handle }

    deinit {
        if !isKept.load(ordering: .relaxed) { _ = peal_observation_remove(handle) }
    }

    /// Lets the observation outlive this object: it then ends with its center, its owner or its observed object, or
    /// by ``cancel()``.
    ///
    /// - Returns: The same observation.
    @discardableResult
    public func keep() -> Observation {
        isKept.store(true, ordering: .relaxed)
        return self
    }

    /// Whether it is in force, also while it is blocked: `peal_observation_is_active`.
    public var isActive: Bool { peal_observation_is_active(handle) }

    /// Ends it. Once this returns no call of it starts, on any thread; one that another thread has begun may still
    /// be finishing. Any thread may do that, also from the observer's own call. `peal_observation_remove` in C.
    ///
    /// - Returns: Whether it was in force until now.
    @discardableResult
    public func cancel() -> Bool { peal_observation_remove(handle) == PEAL_OK }

    /// Ends it, and waits.
    ///
    /// `peal_observation_remove_with` in C.
    ///
    /// - Parameters:
    ///   - delivering: Whether calls that wait on its queue are delivered first; else they are dropped.
    ///   - limit: How long to wait for its running calls; `nil` for as long as it takes.
    /// - Returns: Whether none of its code runs any more, nor ever will. `false` from its own call, where waiting
    ///   would never end, and when the time has passed: it has ended, but a call may still run.
    /// - Throws: ``Status/handle`` when it had ended already.
    @discardableResult
    public func cancelAndWait(delivering: Bool = false, limit: Duration? = nil) throws(PealError) -> Bool {
        let drain = delivering ? UInt32(PEAL_REMOVE_DRAIN.rawValue) : 0
        let status = peal_observation_remove_with(
            handle, UInt32(PEAL_REMOVE_WAIT.rawValue) | drain, Milliseconds.limit(limit))
        return try PealError.check(status) == PEAL_OK
    }

    /// Skips it until it is unblocked as many times as it was blocked: `peal_observation_block`.
    ///
    /// - Throws: ``Status/handle`` when it has ended.
    public func block() throws(PealError) { try PealError.check(peal_observation_block(handle)) }

    /// Takes one block back: `peal_observation_unblock`.
    ///
    /// - Throws: ``Status/handle`` when it has ended, ``Status/state`` when it is not blocked.
    public func unblock() throws(PealError) { try PealError.check(peal_observation_unblock(handle)) }
}
