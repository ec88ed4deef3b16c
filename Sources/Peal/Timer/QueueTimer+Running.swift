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

    /// Stops the timer. Once this returns no call starts, until it is started again; one that another thread has
    /// begun may still be finishing. Stopping one that stands is fine.
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

    /// Puts one firing on the queue now, beside the others, also while the timer stands. Where one waits already
    /// that is enough: this one counts as missed.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_fire`.
    public func fire() throws(PealError) { try PealError.check(peal_timer_fire(handle)) }

    /// Ends the timer before its last reference goes. It cannot be started again. Ending it twice is fine.
    ///
    /// Any thread, also from its own call. The C interface's `peal_timer_destroy`.
    public func cancel() { _ = peal_timer_destroy(handle) }
}
