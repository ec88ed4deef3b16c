public import CPeal

/// Runs calls later, one after the other, in the order of the broadcasts.
///
///     let queue = try Queue()
///     try center.observe((any ChatObserver).self, for: view, .on(queue))
///
/// The kinds differ in the thread that runs the calls: threads of the library (``init(name:capacity:overflow:)``),
/// the program itself (``pumped(capacity:overflow:)``, ``main``), an executor or an actor.
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
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The fate of the next one.
    /// - Throws: ``PealError`` for an empty name, a capacity of zero or below, and where a limit is reached.
    ///
    /// Any thread. The C interface's `peal_queue_create`.
    public convenience init(
        name: String? = nil, capacity: Int? = nil, overflow: Overflow = .reject
    ) throws(PealError) {
        try self.init(PEAL_QUEUE_SERIAL, capacity, overflow, name: name)
    }

    /// Makes a queue whose calls run when the program calls ``pump(limit:)``.
    ///
    /// ``descriptor()`` is readable for a loop of `poll` or `epoll` while calls wait.
    ///
    /// - Parameters:
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The fate of the next one.
    /// - Throws: ``PealError`` for a capacity of zero or below, and where a limit is reached.
    ///
    /// Any thread. The C interface's `peal_queue_create`.
    public static func pumped(capacity: Int? = nil, overflow: Overflow = .reject) throws(PealError) -> Queue {
        try Queue(PEAL_QUEUE_PUMPED, capacity, overflow)
    }

    /// A queue that other code made, and ends.
    ///
    /// Any thread.
    public init(borrowing handle: peal_queue) {
        self.handle = handle
        isOwned = false
    }

    init(
        _ kind: peal_queue_kind, _ capacity: Int?, _ overflow: Overflow, submitter: Submitter? = nil,
        name: String? = nil
    ) throws(PealError) {
        if let capacity, capacity <= 0 {
            throw PealError(
                status: .argument,
                message: "a queue with a capacity of \(capacity) could hold nothing: give 1 or more, or nil for "
                    + "no bound")
        }
        var options = peal_queue_options()
        options.size = MemoryLayout<peal_queue_options>.size
        options.kind = kind
        options.capacity = capacity ?? 0
        overflow.apply(to: &options)
        submitter?.apply(to: &options)
        var handle = peal_queue(id: 0)
        if let name {
            try CStrings.check(name, is: "the queue's name")
            let status = name.withCString { name in
                options.name = name
                return peal_queue_create(&options, &handle)
            }
            try PealError.check(status)
        } else {
            try PealError.check(peal_queue_create(&options, &handle))
        }
        self.handle = handle
        isOwned = true
    }

    deinit {
        if isOwned { _ = peal_queue_destroy(handle) }
    }
}

/// The effect of a broadcast on a full queue with a capacity. Dropped and refused calls are counted:
/// ``Queue/counts()``.
///
/// The C interface's `peal_overflow`.
public enum Overflow: Sendable, Hashable {
    /// It refuses the new calls.
    case reject
    /// It drops the broadcast that has waited longest.
    case dropOldest
    /// It drops the new calls.
    case dropNewest
    /// It drops the oldest broadcast of the same method; without one, the oldest of all.
    case keepLatest
    /// It waits for room that long, and then refuses. From a call of the same queue it refuses at once.
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
