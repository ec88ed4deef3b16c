public import CPeal

/// Runs calls later, one after the other, in the order of the broadcasts.
///
///     let queue = try Queue()
///     try center.observe((any ChatObserver).self, for: view, .on(queue))
///
/// The kinds differ in the thread that runs the calls: threads of the library (``init(name:label:capacity:overflow:)``),
/// the program itself (``pumped(label:capacity:overflow:)``, ``main``), an executor or an actor.
///
/// A queue ends with its last reference: then its observers are removed, its timers end, and the calls that wait
/// are dropped. Registrations and timers keep their queue.
public final class Queue: Sendable {
    /// The queue in the C interface.
    public let handle: peal_queue
    private let isOwned: Bool

    /// The queue of the program's main thread: by libdispatch's main queue, or pumped.
    ///
    /// The C interface's `peal_queue_main`.
    public static let main = Queue(borrowing: peal_queue_main())

    /// Makes a queue whose calls run on peal's own threads.
    ///
    /// - Parameters:
    ///   - name: The name of a thread while it runs the queue, in debuggers and other tools, after `peal:`. They show
    ///     the whole characters among its first ten bytes. nil for `peal:worker`.
    ///   - label: A text by which people recognise the queue, in tools and in ``Queue/Info/label``; nil for none.
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The rule for the next broadcast on a full queue.
    /// - Throws: ``PealError`` for an empty name, a capacity of zero or below, and where a limit is reached.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_create`.
    public convenience init(
        name: String? = nil, label: String? = nil, capacity: Int? = nil, overflow: Overflow = .reject
    ) throws(PealError) {
        try self.init(PEAL_QUEUE_SERIAL, capacity, overflow, name: name, label: label)
    }

    /// Makes a queue whose calls run when the program calls ``pump(limit:)``.
    ///
    /// ``descriptor()`` is readable for a loop of `poll` or `epoll` while calls wait.
    ///
    /// - Parameters:
    ///   - label: A text by which people recognise the queue, in tools and in ``Queue/Info/label``; nil for none.
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The rule for the next broadcast on a full queue.
    /// - Throws: ``PealError`` for a capacity of zero or below, and where a limit is reached.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_create`.
    public static func pumped(
        label: String? = nil, capacity: Int? = nil, overflow: Overflow = .reject
    ) throws(PealError) -> Queue {
        try Queue(PEAL_QUEUE_PUMPED, capacity, overflow, label: label)
    }

    /// A queue that other code made, and ends.
    ///
    /// Thread rule: any thread.
    public init(borrowing handle: peal_queue) {
        self.handle = handle
        isOwned = false
    }

    init(
        _ kind: peal_queue_kind, _ capacity: Int?, _ overflow: Overflow, submitter: Submitter? = nil,
        name: String? = nil, label: String? = nil
    ) throws(PealError) {
        if let capacity, capacity <= 0 {
            throw PealError(
                status: .argument,
                message: "a queue with a capacity of \(capacity) is always full; pass 1 or more, or nil for no limit")
        }
        if name == "" {
            throw PealError(
                status: .argument, message: "the name of a queue is empty; pass nil for a queue without a name")
        }
        if let name { try CStrings.check(name, is: "the queue's name") }
        handle = try CStrings.withLabel(label) { label throws(PealError) in
            try CStrings.withList(name.map { [$0] } ?? []) { names throws(PealError) in
                var options = peal_queue_options()
                options.size = MemoryLayout<peal_queue_options>.size
                options.kind = kind
                options.capacity = capacity ?? 0
                options.name = names[0]
                options.label = label
                overflow.apply(to: &options)
                submitter?.apply(to: &options)
                var handle = peal_queue(id: 0)
                try PealError.check(peal_queue_create(&options, &handle))
                return handle
            }
        }
        isOwned = true
    }

    deinit {
        if isOwned { _ = peal_queue_destroy(handle) }
    }
}

/// The effect of a broadcast on a full queue with a capacity. Dropped and refused calls are counted:
/// ``Queue/info()``.
///
/// The C interface's `peal_overflow`.
public enum Overflow: Sendable, Hashable {
    /// The queue refuses the new calls.
    case reject
    /// The queue drops the broadcast that has waited longest.
    case dropOldest
    /// The queue drops the new calls.
    case dropNewest
    /// The queue drops the oldest broadcast of the same method; without one, the oldest of all.
    case keepLatest
    /// The broadcast waits for room up to this time; then the queue refuses the calls. From a call of the same queue
    /// the calls are refused at once.
    case wait(Duration)

    func apply(to options: inout peal_queue_options) {
        switch self {
        case .reject: options.overflow = PEAL_OVERFLOW_REJECT
        case .dropOldest: options.overflow = PEAL_OVERFLOW_DROP_OLDEST
        case .dropNewest: options.overflow = PEAL_OVERFLOW_DROP_NEWEST
        case .keepLatest: options.overflow = PEAL_OVERFLOW_KEEP_LATEST
        case .wait(let timeout):
            options.overflow = PEAL_OVERFLOW_WAIT
            options.wait = Milliseconds.limit(timeout)
        }
    }
}

extension Queue {
    /// Runs the waiting calls on the calling thread: for pumped queues, and on the main thread for ``main``.
    ///
    /// - Parameter limit: How many broadcasts to run at most, those that arrive meanwhile too; nil for as many
    ///   as wait when it begins.
    /// - Returns: How many calls were made. Firings of timers do not count.
    /// - Throws: ``PealError`` for a queue of another kind, on the wrong thread, and while it is being pumped.
    ///
    /// Thread rule: one thread at a time. The C interface's `peal_queue_pump`.
    @discardableResult
    public func pump(limit: Int? = nil) throws(PealError) -> Int {
        if let limit, limit <= 0 {
            throw PealError(
                status: .argument,
                message: "a limit of \(limit) broadcasts runs nothing; pass 1 or more, or nil for all that wait")
        }
        var calls = 0
        try PealError.check(peal_queue_pump(handle, limit ?? 0, &calls))
        return calls
    }

    /// A file descriptor that is readable while calls wait: for `poll` and similar functions. The queue closes it; do
    /// not read from it.
    ///
    /// - Returns: The descriptor, which belongs to the queue.
    /// - Throws: ``PealError`` for a queue that is not pumped, and where the process has no descriptor left.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_descriptor`.
    public func descriptor() throws(PealError) -> Int32 {
        var descriptor: Int32 = -1
        try PealError.check(peal_queue_descriptor(handle, &descriptor))
        return descriptor
    }

    /// Pauses the queue: no further call begins. Pauses are counted: as many ``resume()`` are needed.
    ///
    /// - Throws: ``Status/handle`` when the queue has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_pause`.
    public func pause() throws(PealError) { try PealError.check(peal_queue_pause(handle)) }

    /// Removes one pause.
    ///
    /// - Throws: ``PealError`` when it is not paused.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_resume`.
    public func resume() throws(PealError) { try PealError.check(peal_queue_resume(handle)) }

    /// Waits until all calls that were enqueued before this one have been delivered or dropped, without blocking a
    /// thread.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Throws: ``PealError``: ``Status/timeout``; ``Status/state`` when the task is cancelled.
    ///
    /// Any task, but not one that the queue's own call waits for. The C interface's `peal_queue_flush`.
    public func flush(timeout: Duration? = nil) async throws(PealError) {
        try await Blocking.run { () throws(PealError) in
            _ = try PealError.check(peal_queue_flush(self.handle, Milliseconds.limit(timeout)))
        }
    }

    /// Waits until all calls that were enqueued before this one have been delivered or dropped. It blocks the thread.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Throws: ``PealError`` when the time limit has expired, and from one of the queue's own calls, which would wait
    ///   for itself.
    ///
    /// An actor that the queue delivers on must not call this.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_queue_flush`.
    @available(*, noasync, message: "it blocks the thread: await flush instead")
    public func flushBlocking(timeout: Duration? = nil) throws(PealError) {
        try PealError.check(peal_queue_flush(handle, Milliseconds.limit(timeout)))
    }

    /// True if the calling thread is inside one of the queue's calls.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_is_current`.
    public var isCurrent: Bool { peal_queue_is_current(handle) }
}

extension Queue {
    /// The counts of a queue. Each observer's call counts: a broadcast to three observers makes three.
    ///
    /// The C interface's `struct peal_queue_info`.
    public struct Info: Sendable, Hashable {
        /// Calls on the queue that have not begun.
        public var waiting: Int
        /// Calls made.
        public var delivered: Int
        /// Calls not made: the observer was removed or blocked, its object was gone, the queue was full.
        public var dropped: Int
        /// Calls refused by a full queue.
        public var rejected: Int
        /// The text by which people recognise the queue, cut to 63 bytes; nil for none.
        public var label: String?

        /// Makes counts for comparisons.
        public init(waiting: Int, delivered: Int, dropped: Int, rejected: Int, label: String? = nil) {
            self.waiting = waiting
            self.delivered = delivered
            self.dropped = dropped
            self.rejected = rejected
            self.label = label
        }
    }

    /// The counts of the queue, read atomically.
    ///
    /// - Returns: The counts since it was made.
    /// - Throws: ``Status/handle`` when the queue has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_get_info`.
    public func info() throws(PealError) -> Info {
        var counts = peal_queue_info()
        counts.size = MemoryLayout<peal_queue_info>.size
        try PealError.check(peal_queue_get_info(handle, &counts))
        return Info(
            waiting: Int(clamping: counts.waiting), delivered: Int(clamping: counts.delivered),
            dropped: Int(clamping: counts.dropped), rejected: Int(clamping: counts.rejected),
            label: .unlessEmpty(pealArray: counts.label))
    }
}
