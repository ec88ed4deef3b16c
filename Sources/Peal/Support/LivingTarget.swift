import CPeal

/// A target of the C interface, which tests before each call whether its object is still alive.
///
/// The target itself always exists; its object may have ended. The call keeps the object alive.
class LivingTarget {
    /// True if the object is alive. The registration ends when it is not.
    var isAlive: Bool { true }

    /// The functions of the weak target. The reference that they receive is the target itself.
    // Unsafe: it is filled here and never written again.
    nonisolated(unsafe) static let hooks: UnsafePointer<peal_weak_type> = {
        let hooks = UnsafeMutablePointer<peal_weak_type>.allocate(capacity: 1)
        hooks.initialize(
            to: peal_weak_type(
                retain: { reference in
                    guard let reference else { return false }
                    var isAlive = false
                    Box.borrow(reference, as: LivingTarget.self) { isAlive = $0.isAlive }
                    return isAlive
                },
                release: { _, _ in }))
        return UnsafePointer(hooks)
    }()
}
