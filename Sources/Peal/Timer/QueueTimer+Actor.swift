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
    ///   - body: Called with it.
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
