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

/// Where an observer is during a call, as the type that it was registered for: that type's identity is part of its
/// protocol's name, so whoever calls has the same.
struct ObserverPlace {
    let pointer: UnsafeRawPointer

    @inline(__always)
    func observer<Observed>(as type: Observed.Type) -> Observed {
        pointer.assumingMemoryBound(to: Observed.self).pointee
    }
}

/// An observer as what it is called as, without keeping it alive: the bytes of a reference, or of an existential that
/// holds one. Whoever reads it knows that the object lives: a cast at each call would cost ten times as much.
// Unchecked: the bytes are written here and never again.
final class ObserverBits: @unchecked Sendable {
    private let place: UnsafeMutableRawPointer

    /// - Parameter observer: An object, or an existential with one inside. All that these hold is a reference, and
    ///   pointers to what lives forever, so their bytes may be copied.
    init<Observed>(_ observer: Observed) {
        place = .allocate(byteCount: MemoryLayout<Observed>.size, alignment: MemoryLayout<Observed>.alignment)
        withUnsafeBytes(of: observer) { place.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
    }

    deinit { place.deallocate() }

    /// Where they are, for a call of the observer, which is alive.
    var shown: ObserverPlace { ObserverPlace(pointer: place) }
}
