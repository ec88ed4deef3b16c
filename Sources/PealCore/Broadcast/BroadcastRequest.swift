/// What a caller wants of one broadcast.
public struct BroadcastRequest {
    /// Folds a result into the accumulator; false stops.
    public typealias Fold = @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ accumulator: UnsafeMutableRawPointer?, _ result: UnsafeRawPointer?
    ) -> Bool

    /// Where results are collected. Laid out as `struct peal_collection`.
    public struct Collection: BitwiseCopyable {
        public var size: Int
        public var values: UnsafeMutableRawPointer?
        public var capacity: Int
        public var count: Int
    }

    /// Room for the result; for `collect`, a `Collection`.
    public var result: UnsafeMutableRawPointer?
    /// Instead of the method's.
    public var policy: BroadcastPolicy?
    public var defaultResult: UnsafeRawPointer?
    public var fold: Fold?
    public var foldContext: UnsafeMutableRawPointer?
    public var forcesFFI = false
    /// Gets each result. The one who makes the request keeps it: requests are copied without counting.
    unowned(unsafe) var gathering: Completion?
    /// Whether it makes the calls of a typed loop: that has seen to recursion.
    var isOfLoop = false

    public init(result: UnsafeMutableRawPointer?) {
        self.result = result
    }

    var collection: UnsafeMutablePointer<Collection>? {
        result?.assumingMemoryBound(to: Collection.self)
    }
}
