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
