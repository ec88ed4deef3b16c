public import CPeal

/// The state of a registration at the time of the read. `struct peal_observation_info` in C.
public struct ObservationInfo: Sendable {
    /// The observation in the C interface.
    public let handle: peal_observation
    /// The priority: observers with a higher one are called earlier.
    public let priority: Int32
    /// True if it ends just before its first call runs.
    public let isOnce: Bool
    /// True if it is skipped at present.
    public let isBlocked: Bool
    /// True if its target is weak.
    public let isWeak: Bool
    /// True if its weak target has died: the observation ends with the next call.
    public let isDead: Bool
    /// Where its calls are delivered; zero for the broadcasting thread.
    public let queue: peal_queue
    /// The owner; zero for none.
    public let owner: peal_owner

    /// Reads the state.
    ///
    /// - Parameter handle: The observation in the C interface.
    /// - Throws: ``Status/handle`` when it has ended.
    ///
    /// Any thread. The C interface's `peal_observation_get_info`.
    public init(_ handle: peal_observation) throws(PealError) {
        var info = peal_observation_info()
        info.size = MemoryLayout<peal_observation_info>.size
        try PealError.check(peal_observation_get_info(handle, &info))
        self.handle = handle
        priority = info.priority
        isOnce = info.flags & UInt32(PEAL_OBSERVE_ONCE.rawValue) != 0
        isBlocked = info.flags & UInt32(PEAL_OBSERVE_BLOCKED.rawValue) != 0
        isWeak = info.is_weak
        isDead = info.is_dead
        queue = info.queue
        owner = info.owner
    }

    /// Reads the state of each observation, and omits the observations that have ended.
    static func of(_ handles: [peal_observation]) -> [ObservationInfo] {
        handles.compactMap { try? ObservationInfo($0) }
    }
}

extension ObserverToken {
    /// Its state.
    ///
    /// - Returns: Its priority, queue and so on, as they are now.
    /// - Throws: ``Status/handle`` when it has ended.
    ///
    /// Any thread. The C interface's `peal_observation_get_info`.
    public func info() throws(PealError) -> ObservationInfo { try ObservationInfo(handle) }
}
