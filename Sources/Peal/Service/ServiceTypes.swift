internal import CPeal
internal import Synchronization

/// With which Swift types services were registered, for who asks before there is an instance.
///
/// The instance itself is always looked at too; so what another copy of this module has registered, which is not
/// known here, is only told later.
enum ServiceTypes {
    private static let types = Mutex<[UInt64: (type: ObjectIdentifier, name: String)]>([:])

    static func note<Instance>(_ type: Instance.Type, of service: peal_service) {
        let name = TypeName.of(type)
        types.withLock { $0[service.number] = (ObjectIdentifier(type), name) }
    }

    static func forget(_ service: UInt64) {
        types.withLock { _ = $0.removeValue(forKey: service) }
    }

    /// The name of the type with which a service was registered, where that is another one.
    static func otherName<Instance>(than type: Instance.Type, of service: peal_service) -> String? {
        let known = types.withLock { $0[service.number] }
        return known.flatMap { $0.type == ObjectIdentifier(type) ? nil : $0.name }
    }

    static func isKnown(_ service: peal_service) -> Bool {
        types.withLock { $0[service.number] != nil }
    }
}
