/// The options of one broadcast.
public struct BroadcastRequest {
    /// Folds a result into the accumulator; false stops.
    public typealias Fold = @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ accumulator: UnsafeMutableRawPointer?, _ result: UnsafeRawPointer?
    ) -> Bool

    /// The memory in which results are collected. Laid out as `struct peal_collection`.
    public struct Collection: BitwiseCopyable {
        public var size: Int
        public var values: UnsafeMutableRawPointer?
        public var capacity: Int
        public var count: Int
    }

    /// Memory for the result; for `collect`, a `Collection`.
    public var result: UnsafeMutableRawPointer?
    /// The policy that replaces the method's own.
    public var policy: BroadcastPolicy?
    public var defaultResult: UnsafeRawPointer?
    public var fold: Fold?
    public var foldContext: UnsafeMutableRawPointer?
    public var forcesFFI = false
    /// Receives each result. The creator of the request retains it: requests are copied without counting.
    unowned(unsafe) var gathering: Completion?
    /// True if this makes the calls of a typed loop, which has tested recursion already.
    var isOfLoop = false

    public init(result: UnsafeMutableRawPointer?) {
        self.result = result
    }

    var collection: UnsafeMutablePointer<Collection>? {
        result?.assumingMemoryBound(to: Collection.self)
    }
}
