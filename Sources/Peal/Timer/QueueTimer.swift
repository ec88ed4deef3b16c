public import CPeal

/// Calls at a due time, once or periodically.
///
///     let timer = try QueueTimer(every: .seconds(30), for: document) { $0.save() }
///     try timer.start()
///
/// A timer fires on a queue: the one given, or a serial queue of its own, so its calls never overlap. It uses the
/// monotonic clock and does not drift. A firing that is due while another still waits is missed, and counted.
///
/// A timer ends with its last reference, and never keeps the object alive that it calls.
public final class QueueTimer: Sendable {
    /// The timer in the C interface.
    public let handle: peal_timer

    /// Makes a timer that calls a closure. It does not run until it is started.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - label: A text by which people recognise the timer, in tools and in ``QueueTimer/Info/label``; nil for none.
    ///   - queue: The queue of its firings; the timer keeps it. nil for a serial queue of its own.
    ///   - body: Called at each firing. Its captures are kept until the timer has ended: capture the object that keeps
    ///     the timer weakly, or use ``init(every:after:tolerance:repeats:label:on:for:_:)``.
    /// - Throws: ``PealError`` for a period of zero or below, a delay or tolerance below zero, or an ended queue.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_create`.
    public convenience init(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        label: String? = nil, on queue: Queue? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(PealError) {
        try self.init(period, delay, tolerance, repeats, label, queue, ClosureTarget<Void> { body() })
    }

    /// Makes a timer that calls a closure with a weak object. Once the object has ended, the timer ends at its next
    /// firing.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - label: A text by which people recognise the timer, in tools and in ``QueueTimer/Info/label``; nil for none.
    ///   - queue: The queue of its firings; the timer keeps it. nil for a serial queue of its own.
    ///   - object: A weak target: kept alive during each call only.
    ///   - body: Called with the object at each firing.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_create`.
    public convenience init<Object: AnyObject & Sendable>(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        label: String? = nil, on queue: Queue? = nil, for object: Object, _ body: @escaping @Sendable (Object) -> Void
    ) throws(PealError) {
        let target = ClosureTarget<Void>(weakly: object) { object, _ in body(object) }
        try self.init(period, delay, tolerance, repeats, label, queue, target)
    }

    /// Makes a timer that broadcasts a method without parameters. Results are dropped.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - label: A text by which people recognise the timer, in tools and in ``QueueTimer/Info/label``; nil for none.
    ///   - queue: The queue of its firings; the timer keeps it. nil for a serial queue of its own.
    ///   - method: The method to broadcast.
    ///   - center: The center of the method. The timer does not keep it.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_create`.
    public convenience init<Owner, Result>(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        label: String? = nil, on queue: Queue? = nil, broadcasting method: PealMethod<Owner, Result>, in center: Center
    ) throws(PealError) {
        let method = try center.method(method).handle
        try self.init(period, delay, tolerance, repeats, label, queue, Target(), broadcasting: method)
    }

    init(
        _ period: Duration, _ delay: Duration?, _ tolerance: Duration, _ repeats: Bool, _ label: String?,
        _ queue: Queue?, _ target: Target, broadcasting method: peal_method? = nil
    ) throws(PealError) {
        handle = try CStrings.withLabel(label) { label throws(PealError) in
            var options = peal_timer_options()
            options.size = MemoryLayout<peal_timer_options>.size
            options.flags = repeats ? 0 : PEAL_TIMER_ONCE.rawValue
            options.period_ns = period.nanoseconds
            options.delay_ns = Self.delay(delay)
            options.tolerance_ns = tolerance.nanoseconds
            options.label = label
            target.queue = queue
            options.queue = queue?.handle ?? peal_queue(id: 0)
            // Released when the timer has ended, or could not be made.
            options.target = Box.retain(target)
            options.destroy = Box.release
            options.weak = target.weakType
            options.weak_reference = options.weak == nil ? nil : options.target
            if let method {
                options.method = method
            } else {
                options.fire = { ClosureTarget<Void>.call($0, ()) }
            }
            var handle = peal_timer(id: 0)
            try PealError.check(peal_timer_create(&options, &handle))
            return handle
        }
    }

    /// A delay as the C interface has it, where zero means one period: the shortest delay is a nanosecond.
    static func delay(_ delay: Duration?) -> Int64 {
        guard let delay else { return 0 }
        return delay == .zero ? 1 : delay.nanoseconds
    }

    deinit { _ = peal_timer_destroy(handle) }
}

extension QueueTimer {
    /// Starts the timer: it fires after its delay. A running timer begins again from now, and a waiting firing is
    /// dropped. This is how a watchdog is reset.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_start`.
    public func start() throws(PealError) { try PealError.check(peal_timer_start(handle)) }

    /// Changes the timer's period and delay permanently, and starts it.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From now to the first firing; nil for one period.
    /// - Throws: ``PealError`` for a period of zero or below, or a delay below zero: then nothing changes. Also
    ///   once it has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_restart`.
    public func restart(every period: Duration, after delay: Duration? = nil) throws(PealError) {
        try PealError.check(peal_timer_restart(handle, Self.delay(delay), period.nanoseconds))
    }

    /// Stops the timer. Once this returns no call starts, until it is started again; a call that another thread has
    /// begun may still run. Stopping a stopped timer is no error.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_stop`.
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
    /// Thread rule: any thread; it may wait. The C interface's `peal_timer_stop_and_wait`.
    @available(*, noasync, message: "it blocks the thread: await stopAndWait instead")
    @discardableResult
    public func stopAndWaitBlocking(timeout: Duration? = nil) throws(PealError) -> Bool {
        try PealError.check(peal_timer_stop_and_wait(handle, Milliseconds.limit(timeout))) == PEAL_OK
    }

    /// Enqueues one firing now, in addition to the others, even while the timer is stopped. Where a firing already
    /// waits, the new one counts as missed.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_timer_fire`.
    public func fire() throws(PealError) { try PealError.check(peal_timer_fire(handle)) }

    /// Ends the timer before its last reference is released. It cannot be started again. Ending it twice is no error.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_destroy`.
    public func cancel() { _ = peal_timer_destroy(handle) }
}

extension QueueTimer {
    /// The state of a timer.
    ///
    /// The C interface's `struct peal_timer_info`.
    public struct Info: Sendable, Hashable {
        /// True if the timer was started and will fire.
        public var isRunning: Bool
        /// True if a firing waits on the queue.
        public var isWaiting: Bool
        /// Calls that have begun.
        public var fired: Int
        /// Firings that were due while another waited, or that the queue refused.
        public var missed: Int
        /// From one firing to the next.
        public var period: Duration
        /// The time until the timer is due next; below zero if it is late; nil if it is stopped.
        public var remaining: Duration?
        /// The greatest delay of all firings.
        public var latest: Duration
        /// The text by which people recognise the timer, cut to 63 bytes; nil for none.
        public var label: String?
    }

    /// The state of the timer, read atomically.
    ///
    /// - Throws: ``PealError`` once it has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_get_info`.
    public func info() throws(PealError) -> Info {
        var facts = peal_timer_info()
        facts.size = MemoryLayout<peal_timer_info>.size
        try PealError.check(peal_timer_get_info(handle, &facts))
        return Info(
            isRunning: facts.is_running, isWaiting: facts.is_waiting, fired: Int(clamping: facts.fired),
            missed: Int(clamping: facts.missed), period: .nanoseconds(facts.period_ns),
            remaining: facts.is_running ? .nanoseconds(facts.remaining_ns) : nil,
            latest: .nanoseconds(facts.latest_ns), label: .unlessEmpty(pealArray: facts.label))
    }

    /// True if the timer has not ended. It ends by ``cancel()``, with its queue, or because its object has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_get_info`.
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
    ///   - label: A text by which people recognise the timer, in tools and in ``QueueTimer/Info/label``; nil for none.
    ///   - actor: The actor of its firings.
    ///   - body: Called with the actor at each firing.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_create`.
    public convenience init<Isolation: Actor>(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        label: String? = nil, on actor: Isolation, _ body: @escaping @Sendable (isolated Isolation) -> Void
    ) throws(PealError) {
        try self.init(
            every: period, after: delay, tolerance: tolerance, repeats: repeats, label: label,
            on: try ActorQueues.queue(of: actor), for: actor
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
    ///   - label: A text by which people recognise the timer, in tools and in ``QueueTimer/Info/label``; nil for none.
    ///   - actor: `MainActor.shared`.
    ///   - body: Called at each firing.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_timer_create`.
    public convenience init(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        label: String? = nil, on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void
    ) throws(PealError) {
        try self.init(
            every: period, after: delay, tolerance: tolerance, repeats: repeats, label: label,
            on: try ActorQueues.queue(of: actor)
        ) {
            MainActor.assumeIsolated { body() }
        }
    }
}
