internal import CPealSupport

/// What a queue gets of a completion: that it is done, or one reply, whose result follows.
struct CompletionNotice: BitwiseCopyable {
    var task: peal_task
    /// Of the completion, which may be gone when the queue comes to it.
    var number: UInt64
    var observation: UInt64

    /// - Parameter isNeeded: Whether an end cannot do without it.
    static func make(replySize: Int, isNeeded: Bool = false) -> UnsafeMutablePointer<CompletionNotice>? {
        // Sixteen bytes are the alignment of any result.
        let size = MemoryLayout<CompletionNotice>.stride.roundedUp(to: 16) + replySize
        let memory = isNeeded ? peal_memory_allocate_needed(size) : peal_memory_allocate(size)
        return memory?.bindMemory(to: CompletionNotice.self, capacity: 1)
    }
}
