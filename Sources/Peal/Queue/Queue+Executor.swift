import CPeal
internal import Synchronization

extension Queue {
    /// Makes a queue whose calls run on a task executor.
    ///
    /// - Parameters:
    ///   - executor: Runs the calls. The queue keeps it.
    ///   - label: A text by which people recognise the queue, in tools and in ``Queue/Info/label``; nil for none.
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The rule for the next broadcast on a full queue.
    /// - Throws: ``PealError`` for a capacity of zero or below, and where a limit is reached.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_create` with `PEAL_QUEUE_EXECUTOR`.
    public convenience init(
        executor: any TaskExecutor, label: String? = nil, capacity: Int? = nil, overflow: Overflow = .reject
    ) throws(PealError) {
        let submitter = Submitter { queue in
            Task.detached(executorPreference: executor) { _ = peal_queue_run(queue) }
            return true
        }
        try self.init(PEAL_QUEUE_EXECUTOR, capacity, overflow, submitter: submitter, label: label)
    }

    /// Makes a queue whose calls run on a serial executor.
    ///
    /// - Parameters:
    ///   - executor: Runs the calls. The queue keeps it.
    ///   - label: A text by which people recognise the queue, in tools and in ``Queue/Info/label``; nil for none.
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The rule for the next broadcast on a full queue.
    /// - Throws: ``PealError`` for a capacity of zero or below, and where a limit is reached.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_create` with `PEAL_QUEUE_EXECUTOR`.
    public convenience init(
        executor: any SerialExecutor, label: String? = nil, capacity: Int? = nil, overflow: Overflow = .reject
    ) throws(PealError) {
        let runner = ExecutorRunner(executor)
        let submitter = Submitter { queue in
            Task.detached { await runner.run(queue) }
            return true
        }
        try self.init(PEAL_QUEUE_EXECUTOR, capacity, overflow, submitter: submitter, label: label)
    }

    /// Makes a queue whose calls run on an actor, isolated to it, for example `MainActor.shared`.
    ///
    /// The actor is a weak target. Once it has ended, calls are refused, and counted.
    ///
    /// - Parameters:
    ///   - actor: Runs the calls.
    ///   - label: A text by which people recognise the queue, in tools and in ``Queue/Info/label``; nil for none.
    ///   - capacity: How many broadcasts may wait; nil for no bound.
    ///   - overflow: The rule for the next broadcast on a full queue.
    /// - Throws: ``PealError`` for a capacity of zero or below, and where a limit is reached.
    ///
    /// Thread rule: any thread. The C interface's `peal_queue_create` with `PEAL_QUEUE_EXECUTOR`.
    public convenience init(
        actor: any Actor, label: String? = nil, capacity: Int? = nil, overflow: Overflow = .reject
    ) throws(PealError) {
        try self.init(
            PEAL_QUEUE_EXECUTOR, capacity, overflow, submitter: Self.submitter(to: actor) { _ in false }, label: label)
    }

    /// Makes a queue on an actor for calls that detect by themselves that the actor has ended.
    ///
    /// - Parameter orElse: Submits a run of the queue once the actor has ended.
    convenience init(actor: any Actor, orElse: @escaping @Sendable (peal_queue) -> Bool) throws(PealError) {
        try self.init(PEAL_QUEUE_EXECUTOR, nil, .reject, submitter: Self.submitter(to: actor, orElse: orElse))
    }

    private static func submitter(
        to actor: any Actor, orElse: @escaping @Sendable (peal_queue) -> Bool
    ) -> Submitter {
        Submitter { [weak actor] queue in
            guard let actor else { return orElse(queue) }
            Task.detached { await run(queue, isolatedTo: actor) }
            return true
        }
    }

    private static func run(_ queue: peal_queue, isolatedTo actor: isolated any Actor) {
        _ = peal_queue_run(queue)
    }
}

/// Runs queues on a serial executor. Swift runs only the functions of an actor on a serial executor.
private actor ExecutorRunner {
    private let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ queue: peal_queue) { _ = peal_queue_run(queue) }
}

/// Submits a queue's run to an executor of Swift. Tasks are detached, because one task serves many broadcasters and
/// must inherit no task-local values.
final class Submitter: Sendable {
    /// Schedules one run of the queue. Returns false where it cannot.
    private let submit: @Sendable (peal_queue) -> Bool

    init(_ submit: @escaping @Sendable (peal_queue) -> Bool) { self.submit = submit }

    /// Passes itself to the C interface, which releases it when the queue has ended, or could not be made.
    func apply(to options: inout peal_queue_options) {
        options.context = Box.retain(self)
        options.destroy = Box.release
        options.submit = { context, queue in
            guard let context else { return false }
            var isSubmitted = false
            Box.borrow(context, as: Submitter.self) { isSubmitted = $0.submit(queue) }
            return isSubmitted
        }
    }
}

/// The queues of the actors that observe. An actor has one queue for all of its calls, so that they are made in the
/// order of the broadcasts.
enum ActorQueues {
    private struct Entry {
        weak let actor: (any Actor)?
        weak let queue: Queue?
        let end: ObjectIdentifier
    }

    /// Removes the entry of an actor once its queue has ended.
    private final class EntryEnd: Sendable {
        let actor: ObjectIdentifier

        init(_ actor: any Actor) { self.actor = ObjectIdentifier(actor) }

        deinit {
            entries.withLock { entries in
                if entries[actor]?.end == ObjectIdentifier(self) { entries[actor] = nil }
            }
        }
    }

    private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// The queue of an actor, made by the first observer. Registrations and timers retain it.
    ///
    /// The actor is a weak target. Once it has ended, the calls run on any thread and detect that.
    static func queue(of actor: any Actor) throws(PealError) -> Queue {
        if let known = entries.withLock({ living($0, actor) }) { return known }
        let end = EntryEnd(actor)
        let queue = try Queue(actor: actor) { queue in
            Task.detached { _ = peal_queue_run(queue) }
            return withExtendedLifetime(end) { true }
        }
        return entries.withLock { entries in
            // Another thread may have been faster. This queue ends outside the lock then.
            if let known = living(entries, actor) { return known }
            entries[end.actor] = Entry(actor: actor, queue: queue, end: ObjectIdentifier(end))
            return queue
        }
    }

    // The weak reference to the queue is only loaded to be returned. A release under the lock could be the last one,
    // and the queue's end needs the lock. The weak reference to the actor leads to the caller's own actor, or to nil
    // where an ended actor had its address.
    private static func living(_ entries: [ObjectIdentifier: Entry], _ actor: any Actor) -> Queue? {
        guard let entry = entries[ObjectIdentifier(actor)], entry.actor != nil else { return nil }
        return entry.queue
    }
}
