import Dispatch

/// Holds threads up until it is opened, so that a race is forced and not waited for.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open(for threads: Int = 1) {
        for _ in 0..<threads { semaphore.signal() }
    }

    /// False when nobody opened it for ten seconds, which is a failure.
    @discardableResult
    func pass() -> Bool { semaphore.wait(timeout: .now() + 10) == .success }
}

/// Runs closures on threads of their own, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        DispatchQueue(label: "thread \(index)").async(group: group) { body(index) }
    }
    group.wait()
}
