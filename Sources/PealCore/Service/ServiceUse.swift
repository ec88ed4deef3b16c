internal import CPealSupport

/// A counted use of an instance, which exists until its last use has ended.
public struct ServiceUse: Sendable {
    /// The id of the instance.
    public let id: UInt64
    /// The `self` of the functions of the tables. The service defines which threads may use it.
    public nonisolated(unsafe) let target: UnsafeMutableRawPointer

    /// Releases the use. The last release ends a removed instance: call with no lock held.
    public func end() {
        try? Self.end(id)
    }

    public static func end(_ id: UInt64) throws(Failure) {
        guard let element = peal_instance_element_of(id) else { throw .staleUse }
        switch peal_instance_release(element, id) {
        case PEAL_RELEASED: return
        case PEAL_RELEASED_LAST: endLast(id)
        default: throw .staleUse
        }
    }

    /// Called after the last use was released.
    public static func endLast(_ id: UInt64) {
        Instance(id)?.end()
    }

    /// The service whose instance is used.
    public static func service(of id: UInt64) throws(Failure) -> Service {
        // A further use keeps the instance, because another thread may release the caller's one meanwhile.
        try retain(id)
        guard let instance = Instance(id) else { throw .staleUse }
        let service = instance.service.object
        try end(id)
        return service
    }

    public static func retain(_ id: UInt64) throws(Failure) {
        guard let element = peal_instance_element_of(id) else { throw .staleUse }
        // If the caller has no use of its own, it cannot retain.
        guard peal_instance_is_of(element, id), peal_instance_uses(element) > 0 else { throw .staleUse }
        switch peal_instance_retain(element, id) {
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
