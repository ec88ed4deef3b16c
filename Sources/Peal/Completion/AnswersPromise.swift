internal import Synchronization

/// Hands the end of a completion to the task that waits for it, which may be there earlier or later.
final class AnswersPromise: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answers, Never>)
        case kept(Answers)
    }

    private let state = Mutex(State.open)

    /// The end. Called once.
    func keep(_ answers: Answers) {
        let waiting = state.withLock { state -> CheckedContinuation<Answers, Never>? in
            defer { state = .kept(answers) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: answers)
    }

    /// The stored answers; `nil` before.
    var kept: Answers? {
        state.withLock { if case .kept(let answers) = $0 { answers } else { nil } }
    }

    /// The stored answers, now or later. Awaited once.
    nonisolated(nonsending) var value: Answers {
        get async {
            await withCheckedContinuation { continuation in
                let kept = state.withLock { state -> Answers? in
                    if case .kept(let answers) = state { return answers }
                    state = .awaited(continuation)
                    return nil
                }
                if let kept { continuation.resume(returning: kept) }
            }
        }
    }
}
