public import CPeal

/// A method as it is in a center: found, and checked.
@usableFromInline
struct ResolvedMethod: Sendable {
    @usableFromInline let method: peal_method
    @usableFromInline let `protocol`: peal_protocol
    /// What the center's definition says.
    @usableFromInline let policy: peal_policy

    @inlinable
    init(method: peal_method, protocol: peal_protocol, policy: peal_policy) {
        self.method = method
        self.protocol = `protocol`
        self.policy = policy
    }
}
