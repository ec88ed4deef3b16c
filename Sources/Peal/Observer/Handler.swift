internal import CPeal

/// The target of an observer in the C interface. One function takes the calls of all of them: ``call``.
class Handler: @unchecked Sendable {
    // Unchecked, since it is no final class; all that it and its subclass have is immutable once it is registered.

    /// The queue of its calls, kept until it ends.
    final var queues: [Queue] = []

    /// The answer to the first method that was registered; most observers have no other.
    private let first: Response
    private let others: [Response]

    /// A handler for a list of methods, which is not empty.
    init(_ responses: [Response]) {
        first = responses[0]
        others = Array(responses.dropFirst())
    }

    /// The `peal_handler` of all observers. The C interface keeps the target alive during the call.
    static let call: peal_handler = { target, call in
        // The C interface gives what was registered, and a call.
        let call = call.unsafelyUnwrapped
        Box.borrow(target.unsafelyUnwrapped, as: Handler.self) { handler in
            // Two calls, since one of a chosen closure would count references.
            if _fastPath(call.pointee.index == 0) {
                handler.first.answer(call.pointee.arguments, call.pointee.result)
            } else {
                handler.answerOther(call)
            }
        }
    }

    /// Kept out of the way of the first.
    @inline(never)
    private func answerOther(_ call: UnsafePointer<peal_call>) {
        others[call.pointee.index - 1].answer(call.pointee.arguments, call.pointee.result)
    }
}
