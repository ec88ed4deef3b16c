internal import CPeal
internal import Synchronization

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
