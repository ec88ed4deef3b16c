internal import CPealSupport

/// The lock and the condition of those who wait for what seldom happens: the end of a creation, of a
/// service, of a session.
enum Waiting {
    static func locked<Result, Mistake: Error>(_ body: () throws(Mistake) -> Result) throws(Mistake) -> Result {
        peal_waiting_lock()
        defer { peal_waiting_unlock() }
        return try body()
    }

    /// With the lock held: false when the time has passed.
    static func wait(until deadline: UInt64 = .max) -> Bool {
        peal_waiting_wait(deadline)
    }

    /// Waits for something to be so. Who makes it so tells.
    ///
    /// - Returns: Whether it is.
    static func wait(until deadline: UInt64 = .max, for isSo: () -> Bool) -> Bool {
        locked {
            while !isSo() {
                guard peal_waiting_wait(deadline) else { return isSo() }
            }
            return true
        }
    }

    /// With the lock not held: has all who wait look again.
    static func tell() {
        locked { peal_waiting_tell() }
    }
}
