internal import CPealSupport

/// What a queue gets of a completion: that it is done, or one reply, whose result follows.
struct CompletionNotice: BitwiseCopyable {
    var task: peal_task
    /// Of the completion, which may be gone when the queue comes to it.
    var number: UInt64
    var observation: UInt64

    static func make(replySize: Int) -> UnsafeMutablePointer<CompletionNotice>? {
        // Sixteen bytes are the alignment of any result.
        peal_memory_allocate(MemoryLayout<CompletionNotice>.stride.roundedUp(to: 16) + replySize)?
            .bindMemory(to: CompletionNotice.self, capacity: 1)
    }
}
