import CPeal

/// The target of an observer of a property in the C interface, which keeps it until the last call has returned.
class PropertyTarget: LivingTarget {
    /// The queues of the calls, kept until no more calls can run on them.
    private let queues: [Queue]

    init(_ options: [ObserverOption]) { queues = options.compactMap(\.keptQueue) }

    func receive(_ change: UnsafePointer<peal_change>) {}

    /// The one function that the C interface calls.
    static let receive: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<peal_change>?) -> Void = {
        target, change in
        guard let target, let change else { return }
        Box.borrow(target, as: PropertyTarget.self) { $0.receive(change) }
    }

    /// The `recorded` function of an observer with `.before`, which it notifies of the initial value alone.
    static let receiveInitial: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<peal_change>?) -> Void = {
        target, change in
        if change?.pointee.kind == PEAL_CHANGE_INITIAL { receive(target, change) }
    }
}

/// A notified closure. It decodes the values itself, because their type is known here.
final class ClosurePropertyTarget: PropertyTarget {
    private let body: @Sendable (UnsafePointer<peal_change>) -> Void

    init(_ options: [ObserverOption], _ body: @escaping @Sendable (UnsafePointer<peal_change>) -> Void) {
        self.body = body
        super.init(options)
    }

    override func receive(_ change: UnsafePointer<peal_change>) { body(change) }
}

/// A closure that is notified with a weak object.
final class WeakPropertyTarget: PropertyTarget {
    private weak let object: AnyObject?
    private let body: @Sendable (AnyObject, UnsafePointer<peal_change>) -> Void

    init(
        _ object: AnyObject, _ options: [ObserverOption],
        _ body: @escaping @Sendable (AnyObject, UnsafePointer<peal_change>) -> Void
    ) {
        self.object = object
        self.body = body
        super.init(options)
    }

    override func receive(_ change: UnsafePointer<peal_change>) {
        if let object { body(object, change) }
    }

    override var isAlive: Bool { object != nil }
}
