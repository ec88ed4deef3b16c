import CPeal

/// What the C interface calls, and asks before each call whether there is still somebody behind it.
///
/// The target itself is always there; what it calls may be gone. It is the call that keeps that alive.
class LivingTarget {
    /// Whether there is still somebody to call. What was registered ends when there is not.
    var isAlive: Bool { true }

    /// The reference that these get is the target.
    // Unsafe: it is filled here and never written again.
    nonisolated(unsafe) static let hooks: UnsafePointer<peal_weak_type> = {
        let hooks = UnsafeMutablePointer<peal_weak_type>.allocate(capacity: 1)
        hooks.initialize(to: peal_weak_type(
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
