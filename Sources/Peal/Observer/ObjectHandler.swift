internal import CPeal

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
