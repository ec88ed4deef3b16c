import CPeal

extension QueueTimer {
    /// Starts the timer: it fires after its delay. A running timer begins again from now, and a waiting firing is
    /// dropped. This is how a watchdog is reset.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_start`.
    public func start() throws(PealError) { try PealError.check(peal_timer_start(handle)) }

    /// Changes the timer's period and delay permanently, and starts it.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From now to the first firing; nil for one period.
    /// - Throws: ``PealError`` for a period of zero or below, or a delay below zero: then nothing changes. Also
    ///   once it has ended.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_restart`.
    public func restart(every period: Duration, after delay: Duration? = nil) throws(PealError) {
        try PealError.check(peal_timer_restart(handle, Self.delay(delay), period.nanoseconds))
    }

    /// Stops the timer. Once this returns no call starts, until it is started again; a call that another thread has
    /// begun may still run. Stopping a stopped timer is no error.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_stop`.
    public func stop() throws(PealError) { try PealError.check(peal_timer_stop(handle)) }

    /// Stops the timer, and waits until no call of it runs any more, without blocking a thread.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Returns: False when a call may still run, since the time has passed or the task was cancelled.
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any task, but not one that its own call waits for. The C interface's `peal_timer_stop_and_wait`.
    @discardableResult
    public func stopAndWait(timeout: Duration? = nil) async throws(PealError) -> Bool {
        try await Blocking.run(cancelled: .success(false)) { () throws(PealError) in
            try PealError.check(peal_timer_stop_and_wait(self.handle, Milliseconds.limit(timeout))) == PEAL_OK
        }
    }

    /// Stops the timer, and waits until no call of it runs any more. It blocks the thread.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Returns: False when a call may still run: this is one of its own, or the time has passed.
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread that may block, also from its own call. The C interface's `peal_timer_stop_and_wait`.
    @available(*, noasync, message: "it blocks the thread: await stopAndWait instead")
    @discardableResult
    public func stopAndWaitBlocking(timeout: Duration? = nil) throws(PealError) -> Bool {
        try PealError.check(peal_timer_stop_and_wait(handle, Milliseconds.limit(timeout))) == PEAL_OK
    }

    /// Enqueues one firing now, in addition to the others, also while the timer is stopped. Where a firing already
    /// waits, the new one counts as missed.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_fire`.
    public func fire() throws(PealError) { try PealError.check(peal_timer_fire(handle)) }

    /// Ends the timer before its last reference is released. It cannot be started again. Ending it twice is no error.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_destroy`.
    public func cancel() { _ = peal_timer_destroy(handle) }
}

extension QueueTimer {
    /// The state of a timer.
    ///
    /// The C interface's `struct peal_timer_info`.
    public struct Facts: Sendable, Hashable {
        /// It was started, and will fire.
        public var isRunning: Bool
        /// A firing waits on the queue.
        public var isWaiting: Bool
        /// Calls that have begun.
        public var fired: Int
        /// Firings that were due while another waited, or that the queue refused.
        public var missed: Int
        /// From one firing to the next.
        public var period: Duration
        /// The time until it is due next; below zero where it is late; nil where it is stopped.
        public var remaining: Duration?
        /// The greatest delay of all firings.
        public var latest: Duration
    }

    /// The state of the timer, read atomically.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread. The C interface's `peal_timer_get_info`.
    public func facts() throws(PealError) -> Facts {
        var facts = peal_timer_info()
        facts.size = MemoryLayout<peal_timer_info>.size
        try PealError.check(peal_timer_get_info(handle, &facts))
        return Facts(
            isRunning: facts.is_running, isWaiting: facts.is_waiting, fired: Int(clamping: facts.fired),
            missed: Int(clamping: facts.missed), period: .nanoseconds(facts.period_ns),
            remaining: facts.is_running ? .nanoseconds(facts.remaining_ns) : nil,
            latest: .nanoseconds(facts.latest_ns))
    }

    /// True if the timer has not ended. It ends by ``cancel()``, with its queue, or because its object has ended.
    ///
    /// Any thread. The C interface's `peal_timer_get_info`.
    public var isActive: Bool {
        var facts = peal_timer_info()
        facts.size = MemoryLayout<peal_timer_info>.size
        return peal_timer_get_info(handle, &facts) == PEAL_OK
    }
}

extension QueueTimer {
    /// Makes a timer that calls an actor, isolated to it. The actor is a weak target; once it has ended the timer ends
    /// by itself.
    ///
    ///     let timer = try QueueTimer(every: .seconds(1), on: counter) { counter in counter.tick() }
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - actor: The actor of its firings.
    ///   - body: Called with the actor at each firing.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Any thread, also from a callback. The C interface's `peal_timer_create`.
    public convenience init<Isolation: Actor>(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        on actor: Isolation, _ body: @escaping @Sendable (isolated Isolation) -> Void
    ) throws(PealError) {
        try self.init(
            every: period, after: delay, tolerance: tolerance, repeats: repeats,
            on: try ActorQueues.queue(of: actor), weakly: actor
        ) { actor in
            actor.assumeIsolated { body($0) }
        }
    }

    /// Makes a timer that calls a closure on the main actor.
    ///
    ///     let timer = try QueueTimer(every: .seconds(1), on: MainActor.shared) { clock.tick() }
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - actor: `MainActor.shared`.
    ///   - body: Called at each firing.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Any thread, also from a callback. The C interface's `peal_timer_create`.
    public convenience init(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void
    ) throws(PealError) {
        try self.init(
            every: period, after: delay, tolerance: tolerance, repeats: repeats, on: try ActorQueues.queue(of: actor)
        ) {
            MainActor.assumeIsolated { body() }
        }
    }
}
