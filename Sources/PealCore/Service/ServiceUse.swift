internal import CPealSupport

/// A counted use of an instance, which exists until its last use has ended.
public struct ServiceUse: Sendable {
    /// The number of the instance.
    public let number: UInt64
    /// The `self` of the functions of the tables. The service defines which threads may use it.
    public nonisolated(unsafe) let target: UnsafeMutableRawPointer

    /// Releases the use. The last release ends a removed instance: call with no lock held.
    public func end() {
        try? Self.end(number)
    }

    public static func end(_ number: UInt64) throws(Failure) {
        guard let place = peal_instance_place_of(number) else { throw .staleUse }
        switch peal_instance_release(place, number) {
        case PEAL_RELEASED: return
        case PEAL_RELEASED_LAST: endLast(number)
        default: throw .staleUse
        }
    }

    /// Called after the last use was released.
    public static func endLast(_ number: UInt64) {
        Handles.instances.find(number)?.end()
    }

    /// The service whose instance is used.
    public static func service(of number: UInt64) throws(Failure) -> Service {
        guard let instance = Handles.instances.find(number), peal_instance_uses(instance.place) > 0 else {
            throw .staleUse
        }
        return instance.service
    }

    public static func retain(_ number: UInt64) throws(Failure) {
        guard let place = peal_instance_place_of(number) else { throw .staleUse }
        // If the caller has no use of its own, it cannot retain.
        guard peal_instance_is_of(place, number), peal_instance_uses(place) > 0 else { throw .staleUse }
        switch peal_instance_retain(place, number) {
        case PEAL_RETAINED: return
        case PEAL_RETAINED_TOO_OFTEN: throw .tooManyUses
        default: throw .staleUse
        }
    }
}

extension Failure {
    public static let staleUse = Failure(
        .handle,
        "the use's handle is invalid: zero, never created, or already released; release each use once, and retain it for further uses"
    )
    static let tooManyUses = Failure(.limit, "the instance has \(PEAL_WORD_USES) uses; end those that are not needed")
}
