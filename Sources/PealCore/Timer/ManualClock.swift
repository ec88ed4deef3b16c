internal import CPealSupport

/// The clock that tests advance. See manual_clock.h.
public enum ManualClock {
    /// When the next timer, time limit or wait is due; the largest number for none.
    public static var next: UInt64 {
        TimerAgenda.withLock { $0.correctAlarm() }
        return peal_manual_clock_next()
    }

    /// Advances the clock, and makes the calls that become due on the calling thread.
    ///
    /// - Parameter timeout: The time that the calls may take by the system's clock, in milliseconds. The largest number
    ///   is no limit.
    public static func advance(by nanoseconds: UInt64, timeout: UInt32) throws(Failure) {
        guard nanoseconds == 0 || peal_clock_is_manual() else {
            throw Failure(.state, "the clock is the system's; make it manual first, with peal_clock_set_manual")
        }
        guard !peal_executor_is_driver(), !peal_executor_is_worker() else {
            throw Failure(.wouldDeadlock, "a call of a queue or a timer cannot advance the clock that it waits for")
        }
        let limit = timeout == .max ? UInt64.max : peal_clock_system() + UInt64(timeout) * 1_000_000
        guard peal_manual_clock_advance(nanoseconds, limit) else {
            throw Failure(
                .timeout, "calls still run or wait after \(timeout) ms, so the clock was not advanced further")
        }
    }
}
