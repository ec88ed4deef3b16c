internal import CPealSupport

/// The options of one broadcast.
public struct BroadcastRequest {
    /// Folds a result into the accumulator; false stops.
    public typealias Fold =
        @convention(c) (
            _ context: UnsafeMutableRawPointer?, _ accumulator: UnsafeMutableRawPointer?, _ result: UnsafeRawPointer?
        ) -> Bool

    /// Memory for the result; for `collect`, a `peal_collection`.
    public var result: UnsafeMutableRawPointer?
    /// The policy that replaces the method's own.
    public var policy: BroadcastPolicy?
    public var defaultResult: UnsafeRawPointer?
    public var fold: Fold?
    public var foldContext: UnsafeMutableRawPointer?
    public var forcesFFI = false
    /// The registration that the broadcast does not call; 0: none.
    public var excepted: UInt64 = 0
    /// The sender's number for its observers; 0: none.
    public var origin: UInt64 = 0
    /// The counted object that keeps the pointed-to memory of the arguments alive and unchanged; 0: none.
    public var memory: UInt64 = 0
    /// Receives each result. The creator of the request retains it: requests are copied without counting.
    unowned(unsafe) var gathering: Completion?
    /// True if this makes the calls of a typed loop, which has tested recursion already.
    var isOfLoop = false

    /// True for options that reach the calls of the broadcast, on queues too, by `peal_sending`.
    @inline(__always)
    var hasSending: Bool { excepted | origin | memory != 0 }

    /// True for options that the loops of results do not know.
    @inline(__always)
    var isGeneral: Bool { forcesFFI || isOfLoop || gathering != nil || hasSending }

    public init(result: UnsafeMutableRawPointer?) {
        self.result = result
    }

    var collection: UnsafeMutablePointer<peal_collection>? {
        result?.assumingMemoryBound(to: peal_collection.self)
    }
}
