/// Where an observer is during a call, as the type that it was registered for: that type's identity is part of its
/// protocol's name, so whoever calls has the same.
struct ObserverPlace {
    let pointer: UnsafeRawPointer

    @inline(__always)
    func observer<Observed>(as type: Observed.Type) -> Observed {
        pointer.assumingMemoryBound(to: Observed.self).pointee
    }
}
