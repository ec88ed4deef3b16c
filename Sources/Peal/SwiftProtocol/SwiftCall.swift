/// What a broadcast of a Swift type brings to each observer, now or later.
class SwiftCall {
    func reach(_ observer: ObserverPlace) {}
}

/// The same with its types.
final class TypedSwiftCall<Observed>: SwiftCall {
    private let body: @Sendable (Observed) -> Void

    init(_ body: @escaping @Sendable (Observed) -> Void) { self.body = body }

    override func reach(_ observer: ObserverPlace) { body(observer.observer(as: Observed.self)) }
}

/// What a visit brings, from the visitor's stack.
struct SwiftVisit {
    /// Returns true to stop.
    let body: (ObserverPlace) -> Bool
}
