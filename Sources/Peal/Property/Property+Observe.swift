public import CPeal

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
    /// Any thread, also from a callback. The C interface's `peal_property_observe`.
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
    /// Any thread, also from a callback. The C interface's `peal_property_observe`.
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
    /// Any thread, also from a callback. The C interface's `peal_property_observe`.
    @discardableResult
    public func observe<Object: AnyObject & Sendable>(
        for object: Object, _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (_ object: Object, _ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        let target = WeakPropertyTarget(object, options) { object, record in
            let change = Change<Value>(record)
            body(unsafeDowncast(object, to: Object.self), change.old, change.new)
        }
        return try observe(notifications, options, target, isWeak: true).keep()
    }

    /// Calls a closure that decodes the values itself.
    @usableFromInline
    func observe(
        _ notifications: ChangeNotification, _ options: [ObserverOption],
        _ body: @escaping @Sendable (UnsafePointer<peal_change>) -> Void
    ) throws(PealError) -> ObserverToken {
        try observe(notifications, options, ClosurePropertyTarget(options, body))
    }

    func observe(
        _ notifications: ChangeNotification, _ options: [ObserverOption], _ target: PropertyTarget, isWeak: Bool = false
    ) throws(PealError) -> ObserverToken {
        var observer = peal_property_observer()
        observer.size = MemoryLayout<peal_property_observer>.size
        if notifications.contains(.before) {
            observer.prior = PropertyTarget.receive
            observer.recorded = notifications.contains(.initial) ? PropertyTarget.receiveInitial : nil
        } else {
            observer.recorded = PropertyTarget.receive
        }
        let pointer = Box.retain(target)
        var options = peal_observe_options(options)
        // The callback also runs when the registration fails.
        options.destroy = Box.release
        options.weak = isWeak ? PropertyTarget.hooks : nil
        options.weak_reference = isWeak ? pointer : nil
        var observation = peal_observation(id: 0)
        let flags = notifications.intersection([.initial, .latest]).rawValue
        try PealError.check(peal_property_observe(handle, pointer, &observer, flags, &options, &observation))
        return ObserverToken(observation)
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
    /// Any thread, also from a callback. The C interface's `peal_property_observe`.
    public func observe<Isolation: Actor>(
        on actor: Isolation, _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (_ actor: isolated Isolation, _ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        let options = options + [.on(try ActorQueues.queue(of: actor))]
        let target = WeakPropertyTarget(actor, options) { actor, record in
            let change = Change<Value>(record)
            unsafeDowncast(actor, to: Isolation.self).assumeIsolated { body($0, change.old, change.new) }
        }
        return try observe(notifications, options, target, isWeak: true)
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
    /// Any thread, also from a callback. The C interface's `peal_property_observe`.
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
