public import CPeal

/// The call in which an observer's code runs: its method, its observer, and what the broadcaster stated.
///
///     let observation = try center.observe(Chat.onMessage) { room, text in
///         guard CallInfo.current?.origin != network else { return }
///         …
///     }
///
/// `struct peal_call_info` in C.
public struct CallInfo: Sendable {
    /// The called method, as its own protocol declares it.
    public let method: peal_method
    /// The registration of the called observer.
    public let observation: peal_observation
    /// The center of the method.
    public let center: peal_center
    /// The number that the broadcaster stated: ``BoundMethod/broadcast(_:from:except:)``. 0 for none.
    public let origin: UInt64
    /// The number of the broadcast. 0 if it has none: only broadcasts that taps see, or that have an origin or leave out
    /// an observer, are numbered.
    public let broadcast: UInt64
    /// When a queue received the call, by the monotonic clock. `nil` without a queue, and if the broadcast has neither a
    /// number nor a completion.
    public let enqueuedAt: Duration?
    /// The time, by the monotonic clock, until which the gathering of the call waits for its result. `nil` if the call is
    /// not gathered, or the gathering has no time limit.
    public let deadline: Duration?

    /// The innermost call of an observer that runs on this thread; `nil` outside of a call, and in code of an
    /// asynchronous observer after it has suspended.
    ///
    /// Thread rule: any thread. The C interface's `peal_call_get_current`.
    public static var current: CallInfo? {
        var info = peal_call_info()
        info.size = MemoryLayout<peal_call_info>.size
        let before = peal_last_status()
        guard peal_call_get_current(&info) == PEAL_OK else {
            // Outside of a call is no failure of this thread.
            if before == PEAL_OK { peal_clear_failure() }
            return nil
        }
        return CallInfo(
            method: info.method, observation: info.observation, center: info.center, origin: info.origin,
            broadcast: info.broadcast, enqueuedAt: time(info.enqueued_at), deadline: time(info.deadline))
    }

    static func time(_ nanoseconds: UInt64) -> Duration? {
        nanoseconds == 0 ? nil : .nanoseconds(Int64(clamping: nanoseconds))
    }
}

extension BoundMethod {
    /// Broadcasts with an origin, or without one of the observers. Results are dropped.
    ///
    ///     try method.broadcast("lobby", text, from: network, except: bridge)
    ///
    /// A bridge to another process sends the calls that arrive there with its own number, so that observers see where they
    /// come from, and leaves itself out.
    ///
    /// - Parameters:
    ///   - arguments: The observers' arguments.
    ///   - origin: A number by which observers recognise the broadcast: ``CallInfo/origin``. 0 for none.
    ///   - observer: An observer that is not called, neither now nor later on a queue; `nil` for none.
    /// - Returns: The number of calls.
    /// - Throws: As another broadcast.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send_with`.
    @discardableResult
    public func broadcast(
        _ arguments: repeat each Parameter, from origin: UInt64, except observer: ObserverToken? = nil
    ) throws(PealError) -> Delivery {
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = isOwnPolicy ? PEAL_POLICY_METHOD : policy
        options.origin = origin
        options.except = observer?.handle ?? peal_observation()
        return try send(repeat each arguments, options: &options, result: nil)
    }
}

extension Center {
    /// Broadcasts with an origin, or without one of the observers. Results are dropped.
    ///
    /// - Parameters:
    ///   - method: The method to broadcast.
    ///   - arguments: The observers' arguments.
    ///   - origin: A number by which observers recognise the broadcast: ``CallInfo/origin``. 0 for none.
    ///   - observer: An observer that is not called, neither now nor later on a queue; `nil` for none.
    /// - Returns: The number of calls.
    /// - Throws: As another broadcast.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send_with`.
    @discardableResult
    public func broadcast<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, _ arguments: repeat each Parameter,
        from origin: UInt64, except observer: ObserverToken? = nil
    ) throws(PealError) -> Delivery {
        let bound = try self.method(method)
        do throws(PealError) {
            return try bound.broadcast(repeat each arguments, from: origin, except: observer)
        } catch {
            return try retryResolving(bound, method.signature, error)
                .broadcast(repeat each arguments, from: origin, except: observer)
        }
    }
}
