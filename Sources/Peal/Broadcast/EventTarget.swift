internal import CPeal

/// An observer of one of peal's own protocols with one closure for all of its methods.
final class EventTarget<Event: Sendable>: Sendable {
    private let notify: @Sendable (Event) -> Void
    private let end: @Sendable () -> Void

    /// - Parameter end: Called once, when the target ends with its observation.
    init(notify: @escaping @Sendable (Event) -> Void, end: @escaping @Sendable () -> Void) {
        self.notify = notify
        self.end = end
    }

    deinit { end() }

    /// Notifies a target of C; the creator of the event copies its texts.
    static func notify(_ pointer: UnsafeMutableRawPointer?, _ event: Event) {
        if let pointer { Box.object(pointer, as: EventTarget<Event>.self).notify(event) }
    }

    /// Begins to observe.
    func observe<Table: BitwiseCopyable>(_ protocolName: String, _ table: Table, in center: Center) throws(PealError)
        -> ObserverToken
    {
        var proto = peal_protocol()
        // Where this fails, the target ends with the last reference to it.
        try PealError.check(peal_protocol_find(center.handle, protocolName, &proto))
        var options = peal_observe_options()
        options.size = MemoryLayout<peal_observe_options>.size
        options.destroy = Box.release
        var observation = peal_observation()
        let target = Box.retain(self)
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
        of policy: BufferingPolicy, observe: (EventTarget<Element>) throws(PealError) -> ObserverToken
    ) throws(PealError) {
        try self.init(policy) { source throws(PealError) in
            try observe(EventTarget(notify: { source.send($0) }, end: {}))
        }
    }
}
