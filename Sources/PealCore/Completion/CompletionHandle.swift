internal import CPealSupport

/// The object of a completion's id: the whole, or one observer's token.
public final class CompletionHandle: Sendable {
    enum Role {
        case whole, token
        /// The token of a call of this observer, whose result of this size is passed on later.
        case reply(from: UInt64, size: Int)
    }

    let completion: Completion
    let role: Role
    let id: UInt64
    var isWhole: Bool { if case .whole = role { true } else { false } }

    /// The owner of the token's observer; 0: none.
    let owner: UInt64

    init(_ completion: Completion, _ role: Role, id: UInt64, owner: UInt64 = 0) {
        self.completion = completion
        self.role = role
        self.id = id
        self.owner = owner
    }
}

/// The queue item of a completion: `done`, or one reply, whose result follows.
struct CompletionNotice: BitwiseCopyable {
    var task: peal_task
    /// The id of the completion, which may have ended when the queue runs the item.
    var id: UInt64
    var observation: UInt64
    /// False for a method without a result.
    var hasResult: Bool

    /// - Parameter isNeeded: True if the end of an object requires the notice, so that it may use the reserve.
    static func make(replySize: Int, isNeeded: Bool = false) -> UnsafeMutablePointer<CompletionNotice>? {
        let size = replyOffset + replySize
        let memory = isNeeded ? peal_memory_allocate_needed(size) : peal_memory_allocate(size)
        return memory?.bindMemory(to: CompletionNotice.self, capacity: 1)
    }

    /// Sixteen bytes are the alignment of any result.
    fileprivate static var replyOffset: Int { MemoryLayout<CompletionNotice>.size.roundedUp(to: 16) }
}

extension UnsafeMutablePointer<CompletionNotice> {
    /// The result of a reply.
    var reply: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) + CompletionNotice.replyOffset }
}

/// Why a completion ended.
public enum CompletionEnd: Sendable { case answered, timedOut, cancelled }
