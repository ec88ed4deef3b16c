public import CPeal

/// Watches a program: broadcasts, calls, queues and the lives of objects, while it runs.
///
///     let tap = try Tap("Chat.*,-Chat.on_tick", events: [.callEnd, .failed]) { event in
///         print(event.methodName ?? "", event.duration)
///     }
///
/// A tap is no observer. It changes no result, no count of calls and no order. It ends with its last reference, which waits
/// for the calls of its closure. `docs/taps.md` is the guide. `peal_tap` in C.
public final class Tap: Sendable {
    /// The tap in the C interface.
    public let handle: peal_tap

    /// Opens a tap that calls a closure at each event, on the thread of the event.
    ///
    /// - Parameters:
    ///   - filter: Patterns with commas between them: `Chat.*,-Chat.on_tick`. nil for all methods. Events without a method
    ///     pass each filter.
    ///   - events: The events that the closure gets.
    ///   - center: The center of the methods; nil for all centers, later ones too.
    ///   - notify: Several threads may run it at once. It must not fail. Events that it causes on its thread are reported to
    ///     no tap. Kept until the tap has ended.
    /// - Throws: ``PealError``: ``Status/argument`` for a malformed filter, with the column; ``Status/limit`` when 16 taps
    ///   are open.
    ///
    /// Thread rule: any thread. The C interface's `peal_tap_create`.
    public convenience init(
        _ filter: String? = nil, events: TapEvents = .all, in center: Center? = nil,
        notify: @escaping @Sendable (TapEvent) -> Void
    ) throws(PealError) {
        var options = Self.options(events)
        options.context = Box.retain(ClosureTarget(notify))
        options.destroy = Box.release
        options.function = { target, record, _, _ in
            if let record { ClosureTarget.call(target, TapEvent(record.pointee)) }
        }
        try self.init(filter, &options, center)
    }

    /// Opens a tap that keeps records of the events, in a ring of each thread, without a lock. ``read(limit:)`` moves them
    /// out. A full ring loses new records.
    ///
    /// - Parameters:
    ///   - filter: As for a tap with a closure.
    ///   - events: The events of the records.
    ///   - center: As for a tap with a closure.
    ///   - capacity: The records of each thread's ring, from 1 to 1,048,576.
    /// - Returns: The tap.
    /// - Throws: ``PealError``, as for a tap with a closure; ``Status/argument`` for another capacity.
    ///
    /// Thread rule: any thread. The C interface's `peal_tap_create`.
    public static func recording(
        _ filter: String? = nil, events: TapEvents = .all, in center: Center? = nil, capacity: Int = 4096
    ) throws(PealError) -> Tap {
        guard capacity > 0 else {
            throw PealError(status: .argument, message: "a ring of \(capacity) records keeps nothing; pass 1 or more")
        }
        var options = options(events)
        options.capacity = capacity
        return try Tap(filter, &options, center)
    }

    /// Opens a tap that counts the calls of methods and observers: ``BoundMethod/counts()``, ``ObserverToken/counts()``.
    ///
    /// - Parameters:
    ///   - filter: As for a tap with a closure.
    ///   - center: As for a tap with a closure.
    /// - Returns: The tap. The counts outlive it.
    /// - Throws: ``PealError``, as for a tap with a closure.
    ///
    /// Thread rule: any thread. The C interface's `peal_tap_create` with `PEAL_TAP_COUNT`.
    public static func counting(_ filter: String? = nil, in center: Center? = nil) throws(PealError) -> Tap {
        var options = options(.all)
        options.flags = PEAL_TAP_COUNT.rawValue
        return try Tap(filter, &options, center)
    }

    private init(_ filter: String?, _ options: inout peal_tap_options, _ center: Center?) throws(PealError) {
        var handle = peal_tap()
        do throws(PealError) {
            if let filter { try CStrings.check(filter, is: "the filter") }
        } catch {
            // The C interface does not get the closure then.
            options.destroy?(options.context)
            throw error
        }
        try CStrings.withList(filter.map { [$0] } ?? []) { filters throws(PealError) in
            options.filter = filters[0]
            try PealError.check(peal_tap_create(center?.handle ?? peal_center(), &options, &handle))
        }
        self.handle = handle
    }

    private static func options(_ events: TapEvents) -> peal_tap_options {
        var options = peal_tap_options()
        options.size = MemoryLayout<peal_tap_options>.size
        options.events = events.rawValue
        return options
    }

    deinit { _ = peal_tap_destroy(handle) }

    /// Moves records out of the rings of a tap that was opened by ``recording(_:events:in:capacity:)``.
    ///
    /// - Parameter limit: How many records to move at most.
    /// - Returns: The records of one thread after those of another; those of each thread are in order. Fewer than `limit`
    ///   if the rings were empty.
    /// - Throws: ``Status/state`` for a tap without rings; ``Status/argument`` for a limit of zero or below.
    ///
    /// Thread rule: any thread. The C interface's `peal_tap_read`.
    public func read(limit: Int = 4096) throws(PealError) -> [TapEvent] {
        guard limit > 0 else {
            throw PealError(status: .argument, message: "a limit of \(limit) records reads nothing; pass 1 or more")
        }
        var records = [peal_tap_record](repeating: peal_tap_record(), count: limit)
        var count = 0
        let status = records.withUnsafeMutableBufferPointer {
            peal_tap_read(handle, $0.baseAddress, limit, &count, nil)
        }
        try PealError.check(status)
        return records[..<count].map(TapEvent.init)
    }

    /// The number of records that were lost because a ring was full.
    ///
    /// Thread rule: any thread. The C interface's `peal_tap_get_info`.
    public var lost: Int {
        var info = peal_tap_info()
        info.size = MemoryLayout<peal_tap_info>.size
        return peal_tap_get_info(handle, &info) == PEAL_OK ? Int(clamping: info.lost) : 0
    }
}

/// Events that taps see. `enum peal_tap_event` in C.
public struct TapEvents: OptionSet, Hashable, Sendable {
    /// One bit each.
    public let rawValue: UInt32

    /// A set of bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ event: peal_tap_event) { rawValue = event.rawValue }

    /// All events.
    public static let all: TapEvents = []
    /// A broadcast begins.
    public static let broadcastBegin = TapEvents(PEAL_TAP_BROADCAST_BEGIN)
    /// A broadcast has made its calls, and enqueued those for queues.
    public static let broadcastEnd = TapEvents(PEAL_TAP_BROADCAST_END)
    /// The call of an observer begins. On a queue, ``TapEvent/duration`` is how long it has waited there.
    public static let callBegin = TapEvents(PEAL_TAP_CALL_BEGIN)
    /// The call of an observer has returned.
    public static let callEnd = TapEvents(PEAL_TAP_CALL_END)
    /// Calls of a broadcast wait on a queue.
    public static let enqueued = TapEvents(PEAL_TAP_ENQUEUED)
    /// Calls of a broadcast are released and will not run.
    public static let dropped = TapEvents(PEAL_TAP_DROPPED)
    /// An observer was registered.
    public static let registered = TapEvents(PEAL_TAP_REGISTERED)
    /// The registration of an observer has ended.
    public static let removed = TapEvents(PEAL_TAP_REMOVED)
    /// Another object was created.
    public static let created = TapEvents(PEAL_TAP_CREATED)
    /// Another object has ended.
    public static let ended = TapEvents(PEAL_TAP_ENDED)
    /// A property was set to another value.
    public static let propertySet = TapEvents(PEAL_TAP_PROPERTY_SET)
    /// A timer calls its closure, or broadcasts its method. ``TapEvent/duration`` is how late it is.
    public static let timerFired = TapEvents(PEAL_TAP_TIMER_FIRED)
    /// A function of peal has failed.
    public static let failed = TapEvents(PEAL_TAP_FAILED)
    /// Records are missing here, because the ring was full. Only in records that ``Tap/read(limit:)`` returns.
    public static let lost = TapEvents(PEAL_TAP_LOST)
}

/// One event that a tap has seen. `struct peal_tap_record` in C.
public struct TapEvent: Sendable {
    /// One bit.
    public let event: TapEvents
    /// The thread of the event, as `gettid` returns it.
    public let thread: UInt32
    /// When it was, by the monotonic clock.
    public let time: Duration
    /// The number of the broadcast: the same in its events on all threads. 0 for none.
    public let broadcast: UInt64
    /// The method; zero for none.
    public let method: peal_method
    /// The id of the observation or the other object; 0 for none.
    public let object: UInt64
    /// The queue; zero for none.
    public let queue: peal_queue
    /// The duration of the event.
    public let duration: Duration
    /// The number of calls, or of lost records.
    public let count: Int
    /// The status of a broadcast or a failure.
    public let status: Status

    init(_ record: peal_tap_record) {
        event = TapEvents(rawValue: record.event)
        thread = record.thread
        time = .nanoseconds(Int64(clamping: record.time))
        broadcast = record.broadcast
        method = peal_method(id: record.method)
        object = record.object
        queue = peal_queue(id: record.queue)
        duration = .nanoseconds(Int64(clamping: record.duration))
        count = Int(record.count)
        status = Status(rawValue: record.status)
    }

    /// The name of the method; nil without one, and once the method has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_method_name`.
    public var methodName: String? {
        guard method.id != 0 else { return nil }
        return try? CStrings.copied { Status(peal_method_name(method, $0, $1, $2)) }
    }
}

/// Counts of the calls that a tap of ``Tap/counting(_:in:)`` has seen. `struct peal_counts` in C.
public struct CallCounts: Hashable, Sendable {
    /// Calls of observers that have returned.
    public let calls: Int
    /// The time in these calls.
    public let total: Duration
    /// The longest call.
    public let longest: Duration
    /// When the last call began, by the monotonic clock; nil if there was none.
    public let last: Duration?
    /// The calls among them that a queue has made.
    public let queued: Int
    /// The time that these waited on their queues.
    public let waited: Duration
    /// The longest wait on a queue.
    public let longestWait: Duration

    fileprivate init(_ read: (UnsafeMutablePointer<peal_counts>) -> peal_status) throws(PealError) {
        var counts = peal_counts()
        counts.size = MemoryLayout<peal_counts>.size
        try PealError.check(read(&counts))
        calls = Int(clamping: counts.calls)
        total = .nanoseconds(Int64(clamping: counts.total))
        longest = .nanoseconds(Int64(clamping: counts.longest))
        last = counts.last == 0 ? nil : .nanoseconds(Int64(clamping: counts.last))
        queued = Int(clamping: counts.queued)
        waited = .nanoseconds(Int64(clamping: counts.waited))
        longestWait = .nanoseconds(Int64(clamping: counts.longest_wait))
    }
}

extension BoundMethod {
    /// Reads the counts of the method's calls.
    ///
    /// - Returns: Zeros if no tap has counted them.
    /// - Throws: ``Status/handle`` when the method has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_method_get_counts`.
    public func counts() throws(PealError) -> CallCounts {
        let method = handle
        return try CallCounts { peal_method_get_counts(method, $0) }
    }
}

extension ObserverToken {
    /// Reads the counts of the observer's calls.
    ///
    /// - Returns: Zeros if no tap has counted them.
    /// - Throws: ``Status/handle`` when the observation has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_get_counts`.
    public func counts() throws(PealError) -> CallCounts { try CallCounts { peal_observation_get_counts(handle, $0) } }
}
