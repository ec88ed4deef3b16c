internal import CPeal
internal import Synchronization

/// The target of the C interface for the end of a completion. It is kept until then.
final class CompletionTarget: Sendable {
    /// Objects that are kept until the end.
    private struct Kept {
        let body: @Sendable (Answers) -> Void
        /// The queue of the call.
        let queue: Queue?
    }

    private let kept: Mutex<Kept?>

    init(on queue: Queue?, _ body: @escaping @Sendable (Answers) -> Void) {
        kept = Mutex(Kept(body: body, queue: queue))
    }

    var hasEnded: Bool { kept.withLock { $0 == nil } }

    static let done: peal_completion_done = { context, report in
        guard let context, let report else { return }
        Box.borrow(context, as: CompletionTarget.self) { target in
            let kept = target.kept.withLock { $0.take() }
            kept?.body(Answers(report.pointee))
        }
        Box.release(context)
    }
}
