import CPeal

extension Queue {
    /// The counts of a queue. Each observer's call counts: a broadcast to three observers makes three.
    ///
    /// The C interface's `struct peal_queue_info`.
    public struct Counts: Sendable, Hashable {
        /// Calls on the queue that have not begun.
        public var waiting: Int
        /// Calls made.
        public var delivered: Int
        /// Calls not made: the observer was removed or blocked, its object was gone, the queue was full.
        public var dropped: Int
        /// Calls refused by a full queue.
        public var rejected: Int

        /// Makes counts, to compare with.
        public init(waiting: Int, delivered: Int, dropped: Int, rejected: Int) {
            self.waiting = waiting
            self.delivered = delivered
            self.dropped = dropped
            self.rejected = rejected
        }
    }

    /// The counts of the queue, read atomically.
    ///
    /// - Returns: The counts since it was made.
    /// - Throws: ``Status/handle`` when the queue has ended.
    ///
    /// Any thread. The C interface's `peal_queue_get_info`.
    public func counts() throws(PealError) -> Counts {
        var counts = peal_queue_info()
        counts.size = MemoryLayout<peal_queue_info>.size
        try PealError.check(peal_queue_get_info(handle, &counts))
        return Counts(
            waiting: Int(clamping: counts.waiting), delivered: Int(clamping: counts.delivered),
            dropped: Int(clamping: counts.dropped), rejected: Int(clamping: counts.rejected))
    }
}
