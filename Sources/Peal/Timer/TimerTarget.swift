import CPeal

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
