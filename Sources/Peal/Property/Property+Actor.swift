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
