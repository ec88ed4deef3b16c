import CPeal

/// What a timer calls. The C interface keeps it until the timer has ended.
class TimerTarget {
    /// Kept as long as the timer may fire on it.
    private let queue: Queue?

    init(queue: Queue?) { self.queue = queue }

    func fire() {}

    /// Whether there is still somebody to call. The timer ends when there is not.
    var isAlive: Bool { true }

    /// Hands itself to the C interface, which releases it when the timer has ended, or could not be made.
    func apply(to options: inout peal_timer_options) {
        let pointer = Box.retain(self)
        options.target = pointer
        options.destroy = Box.release
        options.fire = { target in
            if let target { Box.borrow(target, as: TimerTarget.self) { $0.fire() } }
        }
        options.weak = TimerTarget.hooks
        options.weak_reference = pointer
        options.queue = queue?.handle ?? peal_queue(number: 0)
    }

    /// The target itself is always there; what it calls may be gone. It is `fire` that keeps that alive.
    // Unsafe: it is filled here and never written again.
    nonisolated(unsafe) private static let hooks: UnsafePointer<peal_weak_type> = {
        let hooks = UnsafeMutablePointer<peal_weak_type>.allocate(capacity: 1)
        hooks.initialize(to: peal_weak_type(
            retain: { reference in
                guard let reference else { return false }
                var isAlive = false
                Box.borrow(reference, as: TimerTarget.self) { isAlive = $0.isAlive }
                return isAlive
            },
            release: { _, _ in }))
        return UnsafePointer(hooks)
    }()
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
