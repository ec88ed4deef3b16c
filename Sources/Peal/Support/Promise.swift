internal import Synchronization

/// Hands a value to the task that waits for it, which may be there earlier or later.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case kept(Value)
    }

    private let state = Mutex(State.open)

    /// Keeps the promise. The first value counts.
    func keep(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            if case .kept = state { return nil }
            defer { state = .kept(value) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }

    /// The stored value; `nil` before.
    var kept: Value? {
        state.withLock { if case .kept(let value) = $0 { value } else { nil } }
    }

    /// The stored value, now or later. Awaited once.
    nonisolated(nonsending) var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let kept = state.withLock { state -> Value? in
                    if case .kept(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let kept { continuation.resume(returning: kept) }
            }
        }
    }
}
