internal import CPeal
internal import Synchronization

/// The Swift types with which services were registered, for checks before there is an instance.
///
/// The instance itself is always checked too. So a mistake with a service of another copy of this module, which is
/// not listed here, is only reported later.
enum ServiceTypes {
    private struct Entry {
        let type: ObjectIdentifier
        let name: String
        let mark: peal_protocol
        let anchor = ServiceAnchor()
    }

    private static let types = Mutex<[UInt64: Entry]>([:])

    static func note<Instance>(_ type: Instance.Type, of service: peal_service, mark: peal_protocol) {
        let entry = Entry(type: ObjectIdentifier(type), name: TypeName.of(type), mark: mark)
        types.withLock { $0[service.id] = entry }
    }

    /// The protocol by which its instances are known.
    static func mark(of service: peal_service) -> peal_protocol? {
        types.withLock { $0[service.id]?.mark }
    }

    static func remove(_ service: UInt64) {
        types.withLock { _ = $0.removeValue(forKey: service) }
    }

    /// The name of the type with which a service was registered, where that is another one.
    static func otherName<Instance>(than type: Instance.Type, of service: peal_service) -> String? {
        let known = types.withLock { $0[service.id] }
        return known.flatMap { $0.type == ObjectIdentifier(type) ? nil : $0.name }
    }

    /// Represents the service among observing objects.
    static func anchor(of service: peal_service) throws(PealError) -> ServiceAnchor {
        if let anchor = types.withLock({ $0[service.id]?.anchor }) { return anchor }
        throw PealError(status: .handle, message: "the service's registration has ended; register it again")
    }

    static func isKnown(_ service: peal_service) -> Bool {
        types.withLock { $0[service.id] != nil }
    }
}
