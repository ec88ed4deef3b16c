/// An observer that is a service, whose instance is looked for at each call.
final class ServiceHandler: PlacedHandler, @unchecked Sendable {
    // As its superclass.
    /// Stands for the service among those who observe; its address is no other's as long as this lives.
    private let anchor: ServiceAnchor
    override var title: String { "the service" }

    init(_ responses: [Response], _ anchor: ServiceAnchor, at place: ObservedObjects.Key) {
        self.anchor = anchor
        super.init(responses, at: place)
    }
}

/// The identity of a registered service, as an object.
final class ServiceAnchor: Sendable {}
