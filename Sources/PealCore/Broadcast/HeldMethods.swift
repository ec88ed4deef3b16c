internal import CPealSupport

/// What the calling thread is broadcasting.
enum HeldMethods {
    /// Whether one of the thread's lists is of the method.
    ///
    /// - Parameter own: A list that has just been begun, and is not looked at.
    static func isHeld(_ number: UInt64, besides own: Broadcast.Hold? = nil) -> Bool {
        guard let thread = peal_thread_own_slot() else { return false }
        return (0..<peal_thread_depth(thread)).contains { level in
            let hold = peal_thread_level(thread, level)
            return hold != own && peal_hold_list(hold).map(peal_snapshot_method) == number
        }
    }
}
