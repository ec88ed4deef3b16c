public import CPeal

/// The record of a change, as observers of a property receive it.
///
/// The C interface's `struct peal_change`.
public struct Change<Value: Sendable>: Sendable {
    /// The value before the change. Where ``isInitial`` is true, the current value.
    public let old: Value
    /// The value after.
    public let new: Value
    /// True if this is no change, but the value when the observer was registered.
    public let isInitial: Bool
}

extension Change where Value: PealValue {
    /// A change in the form of the C interface.
    @inlinable @inline(__always)
    init(_ change: UnsafePointer<peal_change>) {
        let isText = change.pointee.is_text
        // Every change has both values.
        old = Property<Value>.value(at: change.pointee.old_value.unsafelyUnwrapped, isText: isText)
        new = Property<Value>.value(at: change.pointee.new_value.unsafelyUnwrapped, isText: isText)
        isInitial = change.pointee.kind == PEAL_CHANGE_INITIAL
    }
}

extension Change: Equatable where Value: Equatable {}

/// The kinds of notifications of a property's observer.
///
/// The C interface's `enum peal_property_observe_flags`.
public struct ChangeNotification: OptionSet, Sendable {
    /// One bit each.
    public let rawValue: UInt32

    /// A set of bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Notified of the current value at once, before any change.
    public static let initial = ChangeNotification(rawValue: 1)
    /// With a queue: a change that still waits at the next change is dropped, and counted.
    public static let latest = ChangeNotification(rawValue: 2)
    /// Notified before the value changes, not after. It cannot prevent the change.
    public static let before = ChangeNotification(rawValue: 4)
}

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
