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

extension Property {
    /// Calls a closure for each change.
    ///
    ///     let shown = try volume.observe { old, new in print("from \(old) to \(new)") }
    ///
    /// - Parameters:
    ///   - notifications: The notifications: `.initial`, `.latest`, `.before`.
    ///   - options: Options of the registration: `.on(queue)`, `.priority(1)`, `.once`.
    ///   - body: Gets the old value and the new one; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/handle`` once the property has ended; ``Status/argument`` for `.latest` without a queue.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    @inlinable
    public func observe(
        _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(notifications, options) { record in
            let change = Change<Value>(record)
            body(change.old, change.new)
        }
    }

    /// Calls a closure with a record of each change. The record distinguishes the initial value from a change.
    ///
    /// - Parameters:
    ///   - notifications: The notifications: `.initial`, `.latest`, `.before`.
    ///   - options: Options of the registration.
    ///   - body: Gets the record; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/handle`` once the property has ended; ``Status/argument`` for `.latest` without a queue.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    @inlinable
    public func observeChanges(
        _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (Change<Value>) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(notifications, options) { body(Change<Value>($0)) }
    }

    /// Calls a closure for each change, with a weak object. The observation ends once the object has
    /// ended.
    ///
    ///     try volume.observe(for: bar) { bar, old, new in bar.show(new) }
    ///
    /// - Parameters:
    ///   - object: A weak target: kept alive during each call only.
    ///   - notifications: The notifications.
    ///   - options: Options of the registration.
    ///   - body: Gets the object, the old value and the new one.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    @discardableResult
    public func observe<Object: AnyObject & Sendable>(
        for object: Object, _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (_ object: Object, _ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        let target = ChangeTarget(weakly: object) { object, record in
            let change = Change<Value>(record)
            body(object, change.old, change.new)
        }
        return try observe(notifications, options, target).keep()
    }

    /// Calls a closure that decodes the values itself.
    @usableFromInline
    func observe(
        _ notifications: ChangeNotification, _ options: [ObserverOption],
        _ body: @escaping @Sendable (UnsafePointer<peal_change>) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(notifications, options, ChangeTarget(body))
    }

    private func observe(
        _ notifications: ChangeNotification, _ options: [ObserverOption], _ target: ChangeTarget
    ) throws(PealError) -> ObserverToken {
        target.queue = options.keptQueue
        var observer = peal_property_observer()
        observer.size = MemoryLayout<peal_property_observer>.size
        if notifications.contains(.before) {
            observer.prior = ChangeTarget.receive
            observer.recorded = notifications.contains(.initial) ? ChangeTarget.receiveInitial : nil
        } else {
            observer.recorded = ChangeTarget.receive
        }
        var observation = peal_observation(id: 0)
        let flags = notifications.intersection([.initial, .latest]).rawValue
        try peal_observe_options.with(options) { options throws(PealError) in
            let pointer = options.pass(target)
            try PealError.check(peal_property_observe(handle, pointer, &observer, flags, &options, &observation))
        }
        return ObserverToken(observation)
    }
}

/// The target of an observer of a property. Its closure decodes the values itself, because it has their type.
private typealias ChangeTarget = ClosureTarget<UnsafePointer<peal_change>>

extension ChangeTarget {
    fileprivate typealias Function = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<peal_change>?) -> Void

    fileprivate static var receive: Function {
        { target, change in
            if let change { ChangeTarget.call(target, change) }
        }
    }

    /// The `recorded` function of an observer with `.before`, which it notifies of the initial value alone.
    fileprivate static var receiveInitial: Function {
        { target, change in
            if let change, change.pointee.kind == PEAL_CHANGE_INITIAL { ChangeTarget.call(target, change) }
        }
    }
}

extension Property {
    /// Calls a closure for each change on an actor, isolated to it.
    ///
    ///     let shown = try volume.observe(on: log) { (log: isolated Log, old, new) in log.add(new) }
    ///
    /// The actor is a weak target: the observation ends once it has ended.
    ///
    /// - Parameters:
    ///   - actor: Runs the closure, later.
    ///   - notifications: The notifications: `.initial`, `.latest`.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the actor, the old value and the new one; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    public func observe<Isolation: Actor>(
        on actor: Isolation, _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (_ actor: isolated Isolation, _ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        let options = options + [.on(try ActorQueues.queue(of: actor))]
        let target = ChangeTarget(weakly: actor) { actor, record in
            let change = Change<Value>(record)
            actor.assumeIsolated { body($0, change.old, change.new) }
        }
        return try observe(notifications, options, target)
    }

    /// Calls a closure for each change on the main actor.
    ///
    ///     let shown = try volume.observe(on: MainActor.shared, .latest) { _, new in label.value = new }
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - notifications: The notifications: `.initial`, `.latest`.
    ///   - options: Options of the registration, without a queue.
    ///   - body: Gets the old value and the new one; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    public func observe(
        on actor: MainActor, _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @MainActor @Sendable (_ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        let options = options + [.on(try ActorQueues.queue(of: actor))]
        return try observe(notifications, options) { record in
            let change = Change<Value>(record)
            MainActor.assumeIsolated { body(change.old, change.new) }
        }
    }
}
