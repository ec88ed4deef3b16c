internal import CPeal
internal import Synchronization

/// An observer that is a weak object. The C interface retains the object before each call, by ``weakType``,
/// and releases it after.
final class ObjectHandler: PlacedHandler, @unchecked Sendable {
    // As its superclass.
    private weak let object: (any AnyObject & Sendable)?
    private let address: ObjectAddress
    /// A strong reference to the object, where the registration keeps it.
    private let kept: (any AnyObject & Sendable)?

    init(
        _ object: any AnyObject & Sendable, _ responses: [ObjectResponse], place: ObservedObjects.Key, isKept: Bool
    ) {
        self.object = object
        address = ObjectAddress(object)
        kept = isKept ? object : nil
        super.init(
            responses.map { response in
                // The address is dereferenced only while the object is retained.
                let address = ObjectAddress(object)
                return Response { arguments, result in response.answer(address.pointer, arguments, result) }
            },
            at: place)
    }

    var isAlive: Bool { object != nil }

    /// Retains the object, if it is alive.
    private func retainObject() -> Bool {
        guard let object else { return false }
        _ = Box.retain(object)
        return true
    }

    /// How the C interface keeps the object during a call. The reference is the handler.
    // Written here once, and never freed.
    nonisolated(unsafe) static let weakType: UnsafePointer<peal_weak_type> = {
        let type = UnsafeMutablePointer<peal_weak_type>.allocate(capacity: 1)
        type.initialize(
            to: peal_weak_type(
                retain: { handler in
                    handler.map { Box.borrow($0, as: ObjectHandler.self) { $0.retainObject() } } ?? false
                },
                release: { handler, _ in
                    if let handler { Box.release(Box.borrow(handler, as: ObjectHandler.self) { $0.address.pointer }) }
                }))
        return UnsafePointer(type)
    }()
}

/// The address of an object. It is followed only while the object is known to be alive.
private struct ObjectAddress: @unchecked Sendable {
    // This type never dereferences the address.
    let pointer: UnsafeMutableRawPointer

    init(_ object: any AnyObject & Sendable) { pointer = Box.address(of: object) }
}

/// An observer that may be registered once for each protocol and queue: an object, or a service.
class PlacedHandler: Handler, @unchecked Sendable {
    // As its superclass.
    let place: ObservedObjects.Key
    /// Its description, for messages.
    var title: String { "the object" }

    init(_ responses: [Response], at place: ObservedObjects.Key) {
        self.place = place
        super.init(responses)
    }

    deinit { ObservedObjects.remove(ObjectIdentifier(self), at: place) }
}

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
        _ handler: PlacedHandler, _ object: any AnyObject & Sendable, on queue: peal_queue, isExclusive: Bool
    ) throws(PealError) -> [peal_observation] {
        let (others, isRefused) = entries.withLock { entries -> ([peal_observation], Bool) in
            let others = entries[handler.place, default: []]
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
            entries[handler.place] = others + [entry]
            return (living.map(\.observation).filter { $0.id != 0 }, false)
        }
        if isRefused {
            throw PealError(
                status: .duplicate,
                message:
                    "\(handler.title) observes the protocol already; observe with .replacing or .allowingDuplicates, "
                    + "or cancel the other observation")
        }
        return others
    }

    /// Notes the handle of an observation that was made.
    static func note(_ observation: peal_observation, of handler: PlacedHandler) {
        entries.withLock { entries in
            guard let index = entries[handler.place]?.firstIndex(where: { $0.handler == ObjectIdentifier(handler) })
            else { return }
            entries[handler.place]?[index].observation = observation
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
    static func remove(_ handler: ObjectIdentifier, at place: Key) {
        entries.withLock { entries in
            let rest = entries[place, default: []].filter { $0.handler != handler }
            entries[place] = rest.isEmpty ? nil : rest
        }
    }
}
