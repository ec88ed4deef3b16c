/// An observer that may be there once a protocol and queue: an object, or a service.
class PlacedHandler: Handler, @unchecked Sendable {
    // As its superclass.
    let place: ObservedObjects.Key
    /// What it is, for messages.
    var title: String { "the object" }

    init(_ responses: [Response], at place: ObservedObjects.Key) {
        self.place = place
        super.init(responses)
    }

    deinit { ObservedObjects.forget(ObjectIdentifier(self), at: place) }
}
