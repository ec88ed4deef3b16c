import CPeal

/// How an executor of Swift's is asked to run a queue. Its tasks are detached: one runs the calls of many
/// broadcasters, and so has the task-local values of none.
final class Submitter: Sendable {
    /// Arranges that the queue is run once, soon. False where it cannot.
    private let submit: @Sendable (peal_queue) -> Bool

    init(_ submit: @escaping @Sendable (peal_queue) -> Bool) { self.submit = submit }

    /// Hands itself to the C interface, which releases it when the queue is gone, or could not be made.
    func apply(to options: inout peal_queue_options) {
        options.context = Box.retain(self)
        options.destroy = Box.release
        options.submit = { context, queue in
            guard let context else { return false }
            var isSubmitted = false
            Box.borrow(context, as: Submitter.self) { isSubmitted = $0.submit(queue) }
            return isSubmitted
        }
    }
}
