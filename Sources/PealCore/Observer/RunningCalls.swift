internal import CPealSupport

/// Waits for calls of closed observers. Loops tell whom they call before they look at the gate; so once
/// a gate is closed and the writer fence is passed, every call that was let through is to be seen.
enum RunningCalls {
    typealias Record = UnsafeMutablePointer<ObserverRecord>

    /// - Parameter isOrdered: Whether a lock that both sides took says the same as the writer fence.
    /// - Returns: False when a call runs on this very thread, or the time has passed.
    static func wait(for records: [Record], deadline: UInt64, isOrdered: Bool = false) -> Bool {
        let own = peal_thread_own_slot()
        if let own, records.contains(where: { peal_thread_runs(own, $0.gate) }) { return false }
        if !isOrdered { peal_thread_writer_fence() }
        // Looking again costs nobody but who waits; being told would cost every call.
        var pause = shortestPause
        while records.contains(where: { peal_thread_others_run(own, $0.gate) }) {
            guard peal_clock_now() < deadline else { return false }
            peal_clock_pause(pause)
            pause = min(2 * pause, longestPause)
        }
        return true
    }

    private static var shortestPause: UInt64 { 20_000 }
    static var longestPause: UInt64 { 1_000_000 }
}
