internal import CPeal

extension Center {
    /// Calls a closure for all events of the center's services.
    ///
    /// - Parameter notify: Called on the thread of the event, with no lock held.
    /// - Returns: An observation that ends with its last reference.
    /// - Throws: ``PealError`` with ``Status/handle`` when the center has ended.
    ///
    /// Any thread. The C interface's `peal_service_events_observe`.
    public func observeServices(_ notify: @escaping @Sendable (ServiceEvent) -> Void) throws(PealError) -> ObserverToken
    {
        try observeServices(EventTarget(notify: notify, end: {}))
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
    /// Any thread. The C interface's `peal_service_events_observe`.
    public func serviceEvents(
        bufferingPolicy: BufferingPolicy = .unbounded
    ) throws(PealError) -> Broadcasts<ServiceEvent> {
        try Broadcasts(of: bufferingPolicy, observe: observeServices)
    }

    func observeServices(_ target: EventTarget<ServiceEvent>) throws(PealError) -> ObserverToken {
        var table = peal_service_events()
        table.size = MemoryLayout<peal_service_events>.size
        table.service_registered = { EventTarget.notify($0, ServiceEvent.registered(String(pealText: $1))) }
        table.service_removed = { EventTarget.notify($0, ServiceEvent.unregistered(String(pealText: $1))) }
        table.service_created = {
            EventTarget.notify($0, ServiceEvent.created(String(pealText: $1), by: String(pealText: $2)))
        }
        table.service_instance_removed = { EventTarget.notify($0, ServiceEvent.removed(String(pealText: $1))) }
        table.service_failed = {
            EventTarget.notify($0, ServiceEvent.failed(String(pealText: $1), message: String(pealText: $2)))
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
    /// Its registration has ended.
    case unregistered(String)
    /// Its instance was created, because `by` got it: `service NAME`, `module NAME`, `observer of PROTOCOL`,
    /// `owner NAME`, or `the program`.
    case created(String, by: String)
    /// Its instance was removed.
    case removed(String)
    /// Its instance could not be made; `message` is the sentence of the failure.
    case failed(String, message: String)
}
