internal import CPeal

extension ClosureTarget {
    /// Registers the target as an observer of one of peal's own protocols, with one closure for all of its methods.
    /// The functions of the table make the events, and copy their texts.
    fileprivate func observe<Table: BitwiseCopyable>(
        _ protocolName: String, _ table: Table, in center: Center
    ) throws(PealError) -> ObserverToken {
        var proto = peal_protocol()
        // Where this fails, the target ends with the last reference to it.
        try PealError.check(peal_protocol_find(center.handle, protocolName, &proto))
        var options = peal_observe_options([])
        let target = options.pass(self)
        var observation = peal_observation()
        let status = withUnsafePointer(to: table) { peal_observe(proto, target, $0, &options, &observation) }
        try PealError.check(status)
        return ObserverToken(observation)
    }
}

extension String {
    /// A text of C's; empty where there is none.
    init(pealText text: UnsafePointer<CChar>?) {
        self = text.map { String(cString: $0) } ?? ""
    }
}

extension Broadcasts {
    /// A sequence of the events that a target receives. It ends with the target.
    init(
        of policy: BufferingPolicy, observe: (ClosureTarget<Element>) throws(PealError) -> ObserverToken
    ) throws(PealError) {
        try self.init(policy) { source throws(PealError) in
            try observe(ClosureTarget { source.send($0) })
        }
    }
}

extension Center {
    /// Calls a closure for all events of the center's modules, and for the signals that are bound to it.
    ///
    /// - Parameter notify: Called on the thread of the event, with no lock held.
    /// - Returns: An observation that ends with its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_module_events_observe`.
    public func observeModules(_ notify: @escaping @Sendable (ModuleEvent) -> Void) throws(PealError) -> ObserverToken {
        try observeModules(ClosureTarget(notify))
    }

    /// All events of the center's modules, as an asynchronous sequence, which ends with the center.
    ///
    /// - Parameter bufferingPolicy: The rule for unread events. The sequence begins to keep events when this returns.
    /// - Returns: The sequence. It observes until its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_module_events_observe`.
    public func moduleEvents(
        bufferingPolicy: BufferingPolicy = .unbounded
    ) throws(PealError) -> Broadcasts<ModuleEvent> {
        try Broadcasts(of: bufferingPolicy, observe: observeModules)
    }

    /// Notifies a target of time limits alone.
    func observeTimeLimits(_ target: ClosureTarget<ModuleEvent>) throws(PealError) -> ObserverToken {
        var table = peal_module_events()
        table.size = MemoryLayout<peal_module_events>.size
        table.module_overdue = ModuleEvent.notifyOverdue
        return try target.observe("PealModules", table, in: self)
    }

    private func observeModules(_ target: ClosureTarget<ModuleEvent>) throws(PealError) -> ObserverToken {
        var table = peal_module_events()
        table.size = MemoryLayout<peal_module_events>.size
        table.module_started = {
            ClosureTarget.call(
                $0, ModuleEvent.started(String(pealText: $1), after: Duration.nanoseconds(Int64(clamping: $2))))
        }
        table.module_stopped = {
            ClosureTarget.call(
                $0, ModuleEvent.stopped(String(pealText: $1), after: Duration.nanoseconds(Int64(clamping: $2))))
        }
        table.module_failed = {
            let step = ModuleEvent.Step(pealText: $2)
            ClosureTarget.call($0, ModuleEvent.failed(String(pealText: $1), step: step, message: String(pealText: $3)))
        }
        table.module_overdue = ModuleEvent.notifyOverdue
        table.signal_received = { ClosureTarget.call($0, ModuleEvent.signal($1)) }
        return try target.observe("PealModules", table, in: self)
    }
}

extension ModuleEvent.Step {
    fileprivate init(pealText text: UnsafePointer<CChar>?) {
        self = String(pealText: text) == "stop" ? .stop : .start
    }
}

/// An event of a module: the built-in protocol `PealModules`, in Swift.
///
/// The C interface's `struct peal_module_events`.
public enum ModuleEvent: Hashable, Sendable {
    /// A step of a module.
    public enum Step: Hashable, Sendable {
        /// ``Module/start(in:)``.
        case start
        /// ``Module/stop(in:)``.
        case stop
    }

    /// The module was started.
    case started(String, after: Duration)
    /// The module was stopped.
    case stopped(String, after: Duration)
    /// A step has failed. For a step that had suspended, ``ModuleInfo/lastFailure`` has its error.
    case failed(String, step: Step, message: String)
    /// A step's time limit has expired, and the step still runs.
    case overdue(String, step: Step, after: Duration)
    /// A bound signal has arrived; its action runs next.
    case signal(Int32)
}

extension ModuleEvent {
    fileprivate typealias Overdue =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt64
        ) -> Void

    /// The function of both tables.
    fileprivate static let notifyOverdue: Overdue = { target, module, step, nanoseconds in
        let (step, time) = (Step(pealText: step), Duration.nanoseconds(Int64(clamping: nanoseconds)))
        ClosureTarget.call(target, ModuleEvent.overdue(String(pealText: module), step: step, after: time))
    }
}

extension Center {
    /// Calls a closure for all events of the center's services.
    ///
    /// - Parameter notify: Called on the thread of the event, with no lock held.
    /// - Returns: An observation that ends with its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_events_observe`.
    public func observeServices(_ notify: @escaping @Sendable (ServiceEvent) -> Void) throws(PealError) -> ObserverToken
    {
        try observeServices(ClosureTarget(notify))
    }

    /// All events of the center's services, as an asynchronous sequence, which ends with the center.
    ///
    /// ```swift
    /// for await event in try center.serviceEvents() { print(event) }
    /// ```
    ///
    /// - Parameter bufferingPolicy: The rule for unread events. The sequence begins to keep events when this returns.
    /// - Returns: The sequence. It observes until its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_service_events_observe`.
    public func serviceEvents(
        bufferingPolicy: BufferingPolicy = .unbounded
    ) throws(PealError) -> Broadcasts<ServiceEvent> {
        try Broadcasts(of: bufferingPolicy, observe: observeServices)
    }

    func observeServices(_ target: ClosureTarget<ServiceEvent>) throws(PealError) -> ObserverToken {
        var table = peal_service_events()
        table.size = MemoryLayout<peal_service_events>.size
        table.service_registered = { ClosureTarget.call($0, ServiceEvent.registered(String(pealText: $1))) }
        table.service_removed = { ClosureTarget.call($0, ServiceEvent.unregistered(String(pealText: $1))) }
        table.service_created = {
            ClosureTarget.call($0, ServiceEvent.created(String(pealText: $1), by: String(pealText: $2)))
        }
        table.service_instance_removed = { ClosureTarget.call($0, ServiceEvent.removed(String(pealText: $1))) }
        table.service_failed = {
            ClosureTarget.call($0, ServiceEvent.failed(String(pealText: $1), message: String(pealText: $2)))
        }
        return try target.observe("PealServices", table, in: self)
    }
}

/// An event of a service: the built-in protocol `PealServices`, in Swift.
///
/// The C interface's `struct peal_service_events`.
public enum ServiceEvent: Hashable, Sendable {
    /// A service of this name was registered.
    case registered(String)
    /// The registration of a service has ended.
    case unregistered(String)
    /// An instance was created, because `by` got the service: `service NAME`, `module NAME`, `observer of PROTOCOL`,
    /// `owner NAME`, or `the program`.
    case created(String, by: String)
    /// The instance of a service was removed.
    case removed(String)
    /// An instance could not be created; `message` is the sentence of the failure.
    case failed(String, message: String)
}

extension Center {
    /// Calls a closure for the first and the last observer of each method of the center, and for changes of its protocols.
    ///
    /// ```swift
    /// let presence = try center.observePresence { event in
    ///     switch event {
    ///     case .observed("on_heat", of: "Sensor"): sensor.open()
    ///     case .unobserved("on_heat", of: "Sensor"): sensor.close()
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// An observer that is registered late is not notified of earlier changes. So register it first, and then read what
    /// exists, for example by ``observerCount(of:)-(PealProtocol.Type)``: a change in between is announced too.
    ///
    /// - Parameter notify: Called for one event at a time, in the order of the changes, with no lock held: on the thread of
    ///   the change, or on a thread that announces another change meanwhile. It may register and remove observers.
    /// - Returns: An observation that ends with its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_presence_events_observe`.
    public func observePresence(
        _ notify: @escaping @Sendable (PresenceEvent) -> Void
    ) throws(PealError) -> ObserverToken {
        try observePresence(ClosureTarget(notify))
    }

    /// The first and the last observer of each method of the center, and the changes of its protocols, as an asynchronous
    /// sequence, which ends with the center.
    ///
    /// - Parameter bufferingPolicy: The rule for unread events. The sequence begins to keep events when this returns.
    /// - Returns: The sequence. It observes until its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_presence_events_observe`.
    public func presenceEvents(
        bufferingPolicy: BufferingPolicy = .unbounded
    ) throws(PealError) -> Broadcasts<PresenceEvent> {
        try Broadcasts(of: bufferingPolicy, observe: observePresence)
    }

    private func observePresence(_ target: ClosureTarget<PresenceEvent>) throws(PealError) -> ObserverToken {
        var table = peal_presence_events()
        table.size = MemoryLayout<peal_presence_events>.size
        table.method_observed = {
            ClosureTarget.call($0, PresenceEvent.observed(String(pealText: $2), of: String(pealText: $1)))
        }
        table.method_unobserved = {
            ClosureTarget.call($0, PresenceEvent.unobserved(String(pealText: $2), of: String(pealText: $1)))
        }
        table.protocol_defined = { ClosureTarget.call($0, PresenceEvent.defined(String(pealText: $1))) }
        table.protocol_grown = { ClosureTarget.call($0, PresenceEvent.grown(String(pealText: $1), methods: $2)) }
        table.protocol_removed = { ClosureTarget.call($0, PresenceEvent.removed(String(pealText: $1))) }
        return try target.observe("PealPresence", table, in: self)
    }
}

/// A change of the observers or protocols of a center: the built-in protocol `PealPresence`, in Swift.
///
/// The C interface's `struct peal_presence_events`.
public enum PresenceEvent: Hashable, Sendable {
    /// The method of this name has its first observer. Blocked, passive and lazy observers count. A method of an adopted
    /// protocol is announced for each protocol that has it and is observed.
    case observed(String, of: String)
    /// The last observer of the method was removed.
    case unobserved(String, of: String)
    /// A protocol of this name was defined.
    case defined(String)
    /// A definition has added methods to the protocol. `methods` is their number now, those of adopted protocols included.
    case grown(String, methods: Int)
    /// The protocol has ended with its owner.
    case removed(String)
}
