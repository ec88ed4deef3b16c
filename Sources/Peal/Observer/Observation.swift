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
    ///
    /// - Parameter handle: *owned* from now on. One that has ended already does no harm.
    public init(_ handle: peal_observation) { self.handle = handle }

    deinit {
        if !isKept.load(ordering: .relaxed) { _ = peal_observation_remove(handle) }
    }

    /// Lets the observation outlive this object: it then ends with its center, its owner or its observed object, or
    /// by ``cancel()``.
    ///
    /// - Returns: The same observation.
    ///
    /// Any thread.
    @discardableResult
    public func keep() -> Observation {
        isKept.store(true, ordering: .relaxed)
        return self
    }

    /// Whether it is in force, also while it is blocked. That of a dead object is until its next call would come.
    ///
    /// Any thread. The C interface's `peal_observation_is_active`.
    public var isActive: Bool { peal_observation_is_active(handle) }

    /// Ends it. Once this returns no call of it starts, on any thread; one that another thread has begun may still
    /// be finishing. What the closure keeps is freed once that has returned.
    ///
    /// - Returns: Whether it was in force until now.
    ///
    /// Any thread, also from the observer's own call. The C interface's `peal_observation_remove`.
    @discardableResult
    public func cancel() -> Bool { peal_observation_remove(handle) == PEAL_OK }

    /// Ends it, and does not wait for the calls on its queue.
    ///
    /// - Parameter delivering: Whether calls that wait there are delivered first: then it ends behind the last of them.
    ///   Else they are dropped, as by ``cancel()``.
    /// - Returns: Whether it was in force until now. It is told to be active no more at once.
    ///
    /// Any thread, also from the observer's own call. The C interface's `peal_observation_remove_with`.
    @discardableResult
    public func cancel(delivering: Bool) -> Bool {
        peal_observation_remove_with(handle, delivering ? UInt32(PEAL_REMOVE_DRAIN.rawValue) : 0, 0).rawValue >= 0
    }

    /// Ends it, and waits.
    ///
    /// - Parameters:
    ///   - delivering: Whether calls that wait on its queue are delivered first; else they are dropped.
    ///   - limit: How long to wait for its running calls; `nil` for as long as it takes.
    /// - Returns: Whether none of its code runs any more, nor ever will. `false` from its own call, where waiting
    ///   would never end, and when the time has passed: it has ended, but a call may still run.
    /// - Throws: ``Status/handle`` when it had ended already.
    ///
    /// Any thread, also from the observer's own call. The C interface's `peal_observation_remove_with`.
    @discardableResult
    public func cancelAndWait(delivering: Bool = false, limit: Duration? = nil) throws(PealError) -> Bool {
        let drain = delivering ? UInt32(PEAL_REMOVE_DRAIN.rawValue) : 0
        let status = peal_observation_remove_with(
            handle, UInt32(PEAL_REMOVE_WAIT.rawValue) | drain, Milliseconds.limit(limit))
        return try PealError.check(status) == PEAL_OK
    }

    /// Skips it until it is unblocked as many times as it was blocked.
    ///
    /// - Throws: ``Status/handle`` when it has ended.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observation_block`.
    public func block() throws(PealError) { try PealError.check(peal_observation_block(handle)) }

    /// Takes one block back.
    ///
    /// - Throws: ``Status/handle`` when it has ended, ``Status/state`` when it is not blocked.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observation_unblock`.
    public func unblock() throws(PealError) { try PealError.check(peal_observation_unblock(handle)) }
}
