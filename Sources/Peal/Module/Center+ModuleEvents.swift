internal import CPeal

extension Center {
    /// Calls a closure for all events of the center's modules, and for the signals that are bound to it.
    ///
    /// - Parameter notify: Called on the thread of the event, with no lock held.
    /// - Returns: An observation that ends with its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Any thread. The C interface's `peal_module_events_observe`.
    public func observeModules(_ notify: @escaping @Sendable (ModuleEvent) -> Void) throws(PealError) -> ObserverToken {
        try observeModules(EventTarget(notify: notify, end: {}))
    }

    /// All events of the center's modules, as an asynchronous sequence, which ends with the center.
    ///
    /// - Parameter bufferingPolicy: The rule for unread events. The sequence begins to keep events when this returns.
    /// - Returns: The sequence. It observes until its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Any thread. The C interface's `peal_module_events_observe`.
    public func moduleEvents(
        bufferingPolicy: BufferingPolicy = .unbounded
    ) throws(PealError) -> Broadcasts<ModuleEvent> {
        try Broadcasts(of: bufferingPolicy, observe: observeModules)
    }

    /// Notifies a target of time limits alone.
    func observeTimeLimits(_ target: EventTarget<ModuleEvent>) throws(PealError) -> ObserverToken {
        var table = peal_module_events()
        table.size = MemoryLayout<peal_module_events>.size
        table.module_overdue = ModuleEvent.notifyOverdue
        return try target.observe("PealModules", table, in: self)
    }

    private func observeModules(_ target: EventTarget<ModuleEvent>) throws(PealError) -> ObserverToken {
        var table = peal_module_events()
        table.size = MemoryLayout<peal_module_events>.size
        table.module_started = {
            EventTarget.notify(
                $0, ModuleEvent.started(String(pealText: $1), after: Duration.nanoseconds(Int64(clamping: $2))))
        }
        table.module_stopped = {
            EventTarget.notify(
                $0, ModuleEvent.stopped(String(pealText: $1), after: Duration.nanoseconds(Int64(clamping: $2))))
        }
        table.module_failed = {
            let step = ModuleEvent.Step(pealText: $2)
            EventTarget.notify($0, ModuleEvent.failed(String(pealText: $1), step: step, message: String(pealText: $3)))
        }
        table.module_overdue = ModuleEvent.notifyOverdue
        table.signal_received = { EventTarget.notify($0, ModuleEvent.signal($1)) }
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

    /// It was started.
    case started(String, after: Duration)
    /// It was stopped.
    case stopped(String, after: Duration)
    /// A step has failed. For a step that had suspended, ``ModuleInfo/lastFailure`` has its error.
    case failed(String, step: Step, message: String)
    /// A step's time limit has passed; it runs still.
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
        EventTarget.notify(target, ModuleEvent.overdue(String(pealText: module), step: step, after: time))
    }
}
