internal import CPeal

/// An observer that is an object, held weakly. The C interface retains the object before each call, by ``weakType``,
/// and releases it after.
final class ObjectHandler: Handler, @unchecked Sendable {
    // As its superclass. The address is compared, and followed only while the object is retained.
    private weak let object: (any AnyObject & Sendable)?
    private let address: UnsafeMutableRawPointer
    private let responses: [ObjectResponse]
    /// The object again, where the registration keeps it.
    private let kept: (any AnyObject & Sendable)?
    let place: ObservedObjects.Key

    init(
        _ object: any AnyObject & Sendable, _ responses: [ObjectResponse], place: ObservedObjects.Key, isKept: Bool
    ) {
        self.object = object
        kept = isKept ? object : nil
        address = Box.address(of: object)
        self.responses = responses
        self.place = place
    }

    deinit { ObservedObjects.forget(ObjectIdentifier(self), at: place) }

    var isAlive: Bool { object != nil }

    override func respond(
        _ index: Int, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer?
    ) {
        responses[index](address, arguments, result)
    }

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
                retain: { handler in handler.map { Box.borrow($0, as: ObjectHandler.self) { $0.retainObject() } } ?? false },
                release: { handler, _ in
                    if let handler { Box.release(Box.borrow(handler, as: ObjectHandler.self) { $0.address }) }
                }))
        return UnsafePointer(type)
    }()
}
