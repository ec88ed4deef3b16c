internal import CPeal
internal import Synchronization

/// The registrations of objects and services. An observer's target in C is a handler of its own, so C cannot detect
/// duplicates of Swift's objects.
enum ObservedObjects {
    // Weak references are read under the lock. They lead to the object that the caller retains, because no two living
    // objects have the same address. So no release under the lock is the last one, which would run the object's deinit
    // here.

    /// One object on one protocol.
    struct Key: Hashable, Sendable {
        let `protocol`: UInt64
        let object: ObjectIdentifier

        init(protocol: peal_protocol, object: AnyObject) {
            self.protocol = `protocol`.id
            self.object = ObjectIdentifier(object)
        }
    }

    /// An observation of an object on one queue. The handler removes the entry when the handler ends.
    private struct Entry {
        let handler: ObjectIdentifier
        let queue: UInt64
        weak let object: (any AnyObject & Sendable)?
        var observation: peal_observation
    }

    private static let entries = Mutex<[Key: [Entry]]>([:])

    /// Enters an observation that is about to be made.
    ///
    /// - Returns: The existing observations of the same object on the same queue.
    static func enter(
        _ handler: Handler, at key: Key, _ object: any AnyObject & Sendable, on queue: peal_queue, isExclusive: Bool
    ) throws(PealError) -> [peal_observation] {
        let (others, isRefused) = entries.withLock { entries -> ([peal_observation], Bool) in
            let others = entries[key, default: []]
            // A dead object may have had the same address; its observation ends at its next call. An observation that
            // another thread is registering has no handle yet.
            let living = others.filter {
                $0.queue == queue.id && $0.object != nil
                    && ($0.observation.id == 0 || peal_observation_is_active($0.observation))
            }
            if isExclusive, !living.isEmpty { return ([], true) }
            let entry = Entry(
                handler: ObjectIdentifier(handler), queue: queue.id, object: object,
                observation: peal_observation(id: 0))
            entries[key] = others + [entry]
            return (living.map(\.observation).filter { $0.id != 0 }, false)
        }
        if isRefused {
            throw PealError(
                status: .duplicate,
                message:
                    "the \(object is ServiceAnchor ? "service" : "object") observes the protocol already; observe with .replacing or .allowingDuplicates, "
                    + "or cancel the other observation")
        }
        return others
    }

    /// Notes the handle of an observation that was made.
    static func note(_ observation: peal_observation, of handler: Handler, at key: Key) {
        entries.withLock { entries in
            guard let index = entries[key]?.firstIndex(where: { $0.handler == ObjectIdentifier(handler) })
            else { return }
            entries[key]?[index].observation = observation
        }
    }

    /// The observations of an object on a protocol, whatever their queues.
    static func observations(of object: AnyObject, on protocol: peal_protocol) -> [peal_observation] {
        entries.withLock { entries in
            entries[Key(protocol: `protocol`, object: object), default: []]
                .filter { $0.object != nil && $0.observation.id != 0 }.map(\.observation)
        }
    }

    /// Removes the entry of a handler that ends.
    static func remove(_ handler: ObjectIdentifier, at key: Key) {
        entries.withLock { entries in
            let rest = entries[key, default: []].filter { $0.handler != handler }
            entries[key] = rest.isEmpty ? nil : rest
        }
    }
}
