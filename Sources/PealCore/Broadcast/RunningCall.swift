internal import CPealSupport

/// The innermost call of an observer on the calling thread.
public struct RunningCall {
    public let method: Method
    public let observation: UInt64
    /// The sender's number; 0: none.
    public let origin: UInt64
    /// The number of the broadcast; 0: none.
    public let broadcast: UInt64
    /// In nanoseconds of the monotonic clock; 0 for a call on no queue, or if the time is not known.
    public let enqueuedAt: UInt64

    public static func current() throws(Failure) -> RunningCall {
        var running = peal_running_call()
        guard peal_thread_running_call(&running), let method = Handles.methods.find(running.method) else {
            throw Failure(
                .state, "no observer is called on this thread; read the call from inside a function of an observer")
        }
        let sending = running.sending
        return RunningCall(
            method: method, observation: running.observation, origin: sending?.pointee.origin ?? 0,
            broadcast: sending?.pointee.broadcast ?? 0, enqueuedAt: sending.map { peal_sending_time($0) } ?? 0)
    }
}
