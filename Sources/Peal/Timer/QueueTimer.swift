public import CPeal

/// Calls at a due time, once or periodically.
///
///     let timer = try QueueTimer(every: .seconds(30), weakly: document) { $0.save() }
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
    ///   - queue: The queue of its firings; the timer keeps it. nil for a serial queue of its own.
    ///   - body: Called at each firing. Its captures are kept until the timer has ended: capture the object that keeps
    ///     the timer weakly, or use ``init(every:after:tolerance:repeats:on:weakly:_:)``.
    /// - Throws: ``PealError`` for a period of zero or below, a delay or tolerance below zero, or an ended queue.
    ///
    /// Any thread, also from a callback. The C interface's `peal_timer_create`.
    public convenience init(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        on queue: Queue? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(PealError) {
        try self.init(period, delay, tolerance, repeats, ClosureTimerTarget(queue: queue, body))
    }

    /// Makes a timer that calls a closure with a weak object. Once the object has ended, the timer ends at its next
    /// firing.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - queue: The queue of its firings; the timer keeps it. nil for a serial queue of its own.
    ///   - object: A weak target: kept alive during each call only.
    ///   - body: Called with the object at each firing.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Any thread, also from a callback. The C interface's `peal_timer_create`.
    public convenience init<Object: AnyObject & Sendable>(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        on queue: Queue? = nil, weakly object: Object, _ body: @escaping @Sendable (Object) -> Void
    ) throws(PealError) {
        try self.init(period, delay, tolerance, repeats, WeakTimerTarget(object, queue: queue, body))
    }

    /// Makes a timer that broadcasts a method without parameters. Results are dropped.
    ///
    /// - Parameters:
    ///   - period: From one firing to the next.
    ///   - delay: From the start to the first firing; nil for one period.
    ///   - tolerance: How much later a firing may be, so that several share a wake-up.
    ///   - repeats: False to fire once after each start.
    ///   - queue: The queue of its firings; the timer keeps it. nil for a serial queue of its own.
    ///   - method: The method to broadcast.
    ///   - center: The center of the method. The timer does not keep it.
    /// - Throws: ``PealError``, as the form with a closure.
    ///
    /// Any thread, also from a callback. The C interface's `peal_timer_create`.
    public convenience init<Owner, Result>(
        every period: Duration, after delay: Duration? = nil, tolerance: Duration = .zero, repeats: Bool = true,
        on queue: Queue? = nil, broadcasting method: PealMethod<Owner, Result>, in center: Center
    ) throws(PealError) {
        let target = MethodTimerTarget(queue: queue, try center.method(method).handle)
        try self.init(period, delay, tolerance, repeats, target)
    }

    init(
        _ period: Duration, _ delay: Duration?, _ tolerance: Duration, _ repeats: Bool, _ target: TimerTarget
    ) throws(PealError) {
        var options = peal_timer_options()
        options.size = MemoryLayout<peal_timer_options>.size
        options.flags = repeats ? 0 : PEAL_TIMER_ONCE.rawValue
        options.period_ns = period.nanoseconds
        options.delay_ns = Self.delay(delay)
        options.tolerance_ns = tolerance.nanoseconds
        target.apply(to: &options)
        var handle = peal_timer(id: 0)
        try PealError.check(peal_timer_create(&options, &handle))
        self.handle = handle
    }

    /// A delay as the C interface has it, where zero means one period: the shortest delay is a nanosecond.
    static func delay(_ delay: Duration?) -> Int64 {
        guard let delay else { return 0 }
        return delay == .zero ? 1 : delay.nanoseconds
    }

    deinit { _ = peal_timer_destroy(handle) }
}

/// The target of a timer. The C interface keeps it until the timer has ended.
class TimerTarget: LivingTarget {
    /// Kept as long as the timer may fire on it.
    private let queue: Queue?

    init(queue: Queue?) { self.queue = queue }

    func fire() {}

    /// Passes itself to the C interface, which releases it when the timer has ended, or could not be made.
    func apply(to options: inout peal_timer_options) {
        let pointer = Box.retain(self)
        options.target = pointer
        options.destroy = Box.release
        options.fire = { target in
            if let target { Box.borrow(target, as: TimerTarget.self) { $0.fire() } }
        }
        options.weak = Self.hooks
        options.weak_reference = pointer
        options.queue = queue?.handle ?? peal_queue(id: 0)
    }
}

/// A method that is broadcast.
final class MethodTimerTarget: TimerTarget {
    private let method: peal_method

    init(queue: Queue?, _ method: peal_method) {
        self.method = method
        super.init(queue: queue)
    }

    override func apply(to options: inout peal_timer_options) {
        super.apply(to: &options)
        options.fire = nil
        options.method = method
    }
}

/// A closure.
final class ClosureTimerTarget: TimerTarget {
    private let body: @Sendable () -> Void

    init(queue: Queue?, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        super.init(queue: queue)
    }

    override func fire() { body() }
}

/// A closure that gets an object, as long as that is alive.
final class WeakTimerTarget<Object: AnyObject>: TimerTarget {
    private weak let object: Object?
    private let body: @Sendable (Object) -> Void

    init(_ object: Object, queue: Queue?, _ body: @escaping @Sendable (Object) -> Void) {
        self.object = object
        self.body = body
        super.init(queue: queue)
    }

    override func fire() {
        if let object { body(object) }
    }

    override var isAlive: Bool { object != nil }
}
