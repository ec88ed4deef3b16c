public import CPeal

/// A set of registrations, for example those of a plugin, that end together, so that its code can be unloaded.
///
/// ```swift
/// let owner = try Owner("sqlite")
/// try owner.perform { try plugin.start(center) }     // what this registers belongs to the owner
/// …
/// if try await owner.retire(timeout: .seconds(1)) == .complete { unload(plugin) }
/// ```
///
/// An owner is retired with its last reference, without waiting for its calls that run. Keep it until
/// ``retire(timeout:)`` has returned ``Ending/complete`` where its code is to be unloaded. The C interface's
/// `peal_owner`.
public final class Owner: Sendable {
    /// The owner in the C interface.
    public let handle: peal_owner

    /// Makes an owner.
    ///
    /// - Parameter name: For reports; up to 255 bytes.
    /// - Throws: ``PealError`` with ``Status/argument`` for a name that is too long.
    ///
    /// Thread rule: any thread. The C interface's `peal_owner_create`.
    public init(_ name: String) throws(PealError) {
        try CStrings.check(name, is: "the owner's name")
        var handle = peal_owner()
        try PealError.check(peal_owner_create(name, &handle))
        self.handle = handle
    }

    deinit { _ = peal_owner_retire(handle, 0) }

    /// The owner's name; nil when the owner was retired. The C interface's `peal_owner_name`.
    public var name: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard peal_owner_name(handle, &buffer, buffer.count, nil).rawValue >= 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The number of observations that belong to the owner. The C interface's `peal_owner_list_observations`.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when the owner was retired.
    public var observationCount: Int {
        get throws(PealError) {
            var count = 0
            try PealError.check(peal_owner_list_observations(handle, nil, 0, &count))
            return count
        }
    }

    /// Ends the owner and all that belongs to it: modules, services, observers, queues, timers, protocols. Waits for
    /// its running calls without blocking a thread.
    ///
    /// - Parameter timeout: How long to wait for running calls; nil for no limit.
    /// - Returns: ``Ending/complete``: none of its code runs or will be called, so it may be unloaded.
    ///   ``Ending/pending``: all is removed, but its code may still run, since the time has passed, the task was
    ///   cancelled, or this is a step of a module: do not unload it. Call this again to wait for the rest.
    /// - Throws: ``PealError`` with ``Status/handle`` after ``Ending/complete``.
    ///
    /// Any task. The C interface's `peal_owner_retire`.
    public func retire(timeout: Duration? = nil) async throws(PealError) -> Ending {
        // The step may be one that the owner waits for.
        if StepAttempt.isInStep { return try Ending(checking: peal_owner_retire(handle, 0)) }
        return try await Blocking.run(cancelled: .success(.pending)) { () throws(PealError) in
            try Ending(checking: peal_owner_retire(self.handle, Milliseconds.limit(timeout)))
        }
    }

    /// Ends the owner and all that belongs to it, and waits for its running calls. It blocks the thread.
    ///
    /// - Parameter timeout: How long to wait for running calls; nil for no limit.
    /// - Returns: As ``retire(timeout:)``; ``Ending/pending`` also from its own call.
    /// - Throws: ``PealError`` with ``Status/handle`` after ``Ending/complete``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_owner_retire`.
    @available(*, noasync, message: "it blocks the thread: await retire instead")
    public func retireBlocking(timeout: Duration? = nil) throws(PealError) -> Ending {
        try Ending(checking: peal_owner_retire(handle, Milliseconds.limit(timeout)))
    }
}

extension Owner {
    /// Calls a closure: its registrations on this thread belong to the owner, unless they name another.
    ///
    /// Calls nest, up to 16 deep. Registrations in callbacks of peal, and in tasks that the closure starts, do not
    /// belong to the owner.
    ///
    /// - Parameter body: Called once, unless this throws.
    /// - Returns: The closure's result.
    /// - Throws: ``PealError``: ``Status/handle`` when it was retired; ``Status/limit``. Then the closure was
    ///   not called.
    ///
    /// Thread rule: any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () -> Result) throws(PealError) -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return body()
    }

    /// Calls a closure that throws peal's own errors: its registrations on this thread belong to the owner.
    ///
    /// - Parameter body: Called once, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; else as for a closure that does not throw.
    ///
    /// Thread rule: any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () throws(PealError) -> Result) throws(PealError) -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return try body()
    }

    /// Calls a closure that throws anything: its registrations on this thread belong to the owner.
    ///
    /// - Parameter body: Called once, unless this throws before.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; else as for a closure that does not throw.
    ///
    /// Thread rule: any thread. The C interface's `peal_owner_enter` and `peal_owner_leave`.
    @discardableResult
    public func perform<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_owner_enter(handle))
        defer { _ = peal_owner_leave() }
        return try body()
    }
}
