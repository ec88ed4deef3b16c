import CPeal
import Synchronization

/// The protocols that a center has of Swift types, so that a broadcast need not look for one by name.
final class SwiftProtocolCache: Sendable {
    private let protocols = Mutex<[ObjectIdentifier: SwiftProtocol]>([:])

    func find(_ type: Any.Type, in center: peal_center) throws(PealError) -> SwiftProtocol {
        let key = ObjectIdentifier(type)
        if let known = protocols.withLock({ $0[key] }) { return known }
        let found = try SwiftProtocol(type, in: center)
        protocols.withLock { $0[key] = found }
        return found
    }

    /// Forgets one that has been taken back, with its owner say.
    func forget(_ type: Any.Type) {
        let key = ObjectIdentifier(type)
        protocols.withLock { _ = $0.removeValue(forKey: key) }
    }
}
