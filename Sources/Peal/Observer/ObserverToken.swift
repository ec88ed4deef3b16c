public import CPeal
internal import Synchronization

/// A registration of an observer. It ends with the last reference to this object, unless it is kept: by ``keep()``, or
/// because it was registered `for:` an object.
///
///     let observation = try center.observe(Chat.onMessage) { room, count in … }
///     try center.observe(Chat.self, for: window) { … }
///
/// `peal_observation` in C.
public final class ObserverToken: Sendable {
    /// The observation in the C interface.
    public let handle: peal_observation
    private let isKept = Atomic(false)

    /// Takes ownership of an observation of the C interface, which ends with this object.
    ///
    /// - Parameter handle: *owned* from now on. A handle that has already ended is harmless.
    public init(_ handle: peal_observation) { self.handle = handle }

    deinit {
        if !isKept.load(ordering: .relaxed) { _ = peal_observation_remove(handle) }
    }

    /// Lets the observation outlive this object: it then ends with its center, its owner, its service or its actor, or
    /// by ``cancel()``. An observation that was registered `for:` an object is kept already, and ends with the object.
    ///
    /// - Returns: The same observation.
    ///
    /// Thread rule: any thread.
    @discardableResult
    public func keep() -> ObserverToken {
        isKept.store(true, ordering: .relaxed)
        return self
    }

    /// True if the observation is in force, even while it is blocked, and its object is alive.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_is_active`.
    public var isActive: Bool { peal_observation_is_active(handle) }

    /// Removes the observer. Once this returns, no call of it starts on any thread. A call that another thread has
    /// begun may still run. The closure's captures are freed once that call has returned.
    ///
    /// - Returns: True if the observation was in force until now.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_remove`.
    @discardableResult
    public func cancel() -> Bool { peal_observation_remove(handle) == PEAL_OK }

    /// Removes the observer without waiting for the calls on its queue.
    ///
    /// - Parameter delivering: True if calls that wait there are delivered first; the observation then ends after the
    ///   last of them. Otherwise they are dropped, as by ``cancel()``.
    /// - Returns: True if the observation was in force until now. From then on ``isActive`` is false.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_observation_remove_with`.
    @discardableResult
    public func cancel(delivering: Bool) -> Bool {
        peal_observation_remove_with(handle, delivering ? UInt32(PEAL_REMOVE_DRAIN.rawValue) : 0, 0).rawValue >= 0
    }

    /// Removes the observer, and waits without blocking a thread.
    ///
    /// - Parameters:
    ///   - delivering: True if calls that wait on its queue are delivered first; else they are dropped.
    ///   - timeout: How long to wait for its running calls; `nil` for no limit.
    /// - Returns: True if none of the observer's code runs or will run. `false` when the time has passed or the task
    ///   was cancelled: the observation has ended, but a call may still run.
    /// - Throws: ``Status/handle`` when the observation had already ended.
    ///
    /// Any task, but not one that the observer's own call waits for. The C interface's `peal_observation_remove_with`.
    @discardableResult
    public func cancelAndWait(delivering: Bool = false, timeout: Duration? = nil) async throws(PealError) -> Bool {
        let handle = handle
        return try await Blocking.run(cancelled: .success(false)) { () throws(PealError) in
            try Self.removeAndWait(handle, delivering, timeout)
        }
    }

    /// Removes the observer, and blocks the thread until its calls have ended.
    ///
    /// - Parameters:
    ///   - delivering: As ``cancelAndWait(delivering:timeout:)``.
    ///   - timeout: As ``cancelAndWait(delivering:timeout:)``.
    /// - Returns: True if none of the observer's code runs or will run. `false` from the observer's own call, where
    ///   waiting would never end, and when the time has passed: the observation has ended, but a call may still run.
    /// - Throws: ``Status/handle`` when the observation had already ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_observation_remove_with`.
    @available(*, noasync, message: "it blocks the thread: await cancelAndWait instead")
    @discardableResult
    public func cancelAndWaitBlocking(delivering: Bool = false, timeout: Duration? = nil) throws(PealError) -> Bool {
        try Self.removeAndWait(handle, delivering, timeout)
    }

    private static func removeAndWait(
        _ handle: peal_observation, _ delivering: Bool, _ timeout: Duration?
    ) throws(PealError) -> Bool {
        let drain = delivering ? UInt32(PEAL_REMOVE_DRAIN.rawValue) : 0
        let status = peal_observation_remove_with(
            handle, UInt32(PEAL_REMOVE_WAIT.rawValue) | drain, Milliseconds.limit(timeout))
        return try PealError.check(status) == PEAL_OK
    }

    /// Blocks the observer. Each block needs one unblock.
    ///
    /// - Throws: ``Status/handle`` when the observation has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_block`.
    public func block() throws(PealError) { try PealError.check(peal_observation_block(handle)) }

    /// Removes one block.
    ///
    /// - Throws: ``Status/handle`` when the observation has ended, ``Status/state`` when the observer is not blocked.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_unblock`.
    public func unblock() throws(PealError) { try PealError.check(peal_observation_unblock(handle)) }
}

/// An option of an observer. Pass any number, in any order:
///
///     try center.observe(Chat.onMessage, .once, .priority(5)) { room, count in … }
///
/// `struct peal_observe_options` in C.
public enum ObserverOption: Sendable {
    /// Observers with a higher priority are called earlier; 0 by default.
    case priority(Int32)
    /// The observation ends just before its first call, so there is exactly one call, even when broadcasts race.
    case once
    /// The observer is registered with one block: it is not called before ``ObserverToken/unblock()``.
    case blocked
    /// All other observations of the same object on the protocol end once this one is registered.
    case replacing
    /// The same object may observe the protocol again. It is called once for each registration.
    case allowingDuplicates
    /// With a queue: bare pointers among the arguments outlive delivery.
    case borrowing
    /// The observer only watches: its results count for no policy, and no caller waits for its answers.
    case passive
    /// The queue that delivers the calls; without it, they run on the broadcasting thread.
    case queue(peal_queue)
    /// The same, and the registration keeps the queue.
    case on(Queue)
    /// The owner of the observation; without it, the thread's owner, if there is one.
    case owner(peal_owner)
    /// A text by which people recognise the observer, in tools and in ``ObservationInfo/label``.
    case label(String)
}

extension peal_observe_options {
    /// The options in C, for a program that registers an observer by a C function. The program keeps the queues. The
    /// label is left out, because its text must outlive the call of C: ``with(_:_:)`` includes it.
    public init(_ options: [ObserverOption]) {
        self.init()
        size = MemoryLayout<peal_observe_options>.size
        for option in options {
            switch option {
            case .priority(let value): priority = value
            case .once: flags |= UInt32(PEAL_OBSERVE_ONCE.rawValue)
            case .blocked: flags |= UInt32(PEAL_OBSERVE_BLOCKED.rawValue)
            case .borrowing: flags |= UInt32(PEAL_OBSERVE_BORROWED.rawValue)
            case .passive: flags |= UInt32(PEAL_OBSERVE_PASSIVE.rawValue)
            case .queue(let handle): queue = handle
            case .on(let kept): queue = kept.handle
            case .owner(let handle): owner = handle
            // Every observer has a target of its own in C, so ObservedObjects implements these options.
            case .replacing, .allowingDuplicates: break
            case .label: break
            }
        }
    }

    /// Lends the options in C, with the label, for a call of a C function that registers an observer.
    ///
    /// - Parameters:
    ///   - options: Options of the registration. The program keeps the queues.
    ///   - body: Registers the observer. The options are valid during the call.
    /// - Returns: The result of the body.
    /// - Throws: ``Status/argument`` for a label with a zero byte, and the body then does not run; else the errors of the
    ///   body.
    public static func with<Result>(
        _ options: [ObserverOption], _ body: (inout peal_observe_options) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        var cOptions = peal_observe_options(options)
        return try CStrings.withLabel(options.label) { label throws(PealError) in
            cOptions.label = label
            return try body(&cOptions)
        }
    }
}

extension [ObserverOption] {
    /// The queue that the registration keeps.
    var keptQueue: Queue? {
        for case .on(let queue) in reversed() { return queue }
        return nil
    }

    /// The last label; nil without one.
    fileprivate var label: String? {
        for case .label(let text) in reversed() { return text }
        return nil
    }
}

extension ObserverOption {
    /// The observation belongs to an owner, and ends with it. The caller keeps the owner.
    public static func belonging(to owner: Owner) -> ObserverOption { .owner(owner.handle) }
}
