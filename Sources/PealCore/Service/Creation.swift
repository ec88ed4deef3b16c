internal import CPealSupport
import PealCall

/// A creation in progress, on one thread. Other threads wait for it.
final class Creation: Sendable {
    let service: Service
    let thread: UInt
    private let process = peal_fork_generation()
    /// The creation inside which this one runs, on the same thread.
    let outer: Creation?
    let depth: Int
    /// nil: the program.
    let requester: String?
    let startedAt = peal_clock_now()
    private let state = Guarded(State())

    struct State {
        /// The service that this creation requires now: its thread creates that service, or waits for it.
        var needs: Service?
        /// The instance while `init` runs. Gets on this thread return it.
        var instance: Instance?
        var isDone = false
        /// What the creation has, until it ends.
        var uses: [ServiceUse] = []
        var made: Instance?
        var failure: Failure?
        /// The failure of a service that this creation requires.
        var cause: Failure?
    }

    init(of service: Service, thread: UInt, inside outer: Creation?, requester: String?) {
        self.service = service
        self.thread = thread
        self.outer = outer
        self.requester = requester
        depth = (outer?.depth ?? 0) + 1
    }

    func withState<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// True if a fork has left the thread in the parent. The service is never created in the child.
    var isLost: Bool { LiveThread.isLost(thread, since: process) }

    var isDone: Bool { isLost || withState { $0.isDone } }
    var instance: Instance? { isLost ? nil : withState { $0.instance } }
    var needs: Service? { isLost ? nil : withState { $0.needs } }
    var failure: Failure? {
        guard isLost else { return withState { $0.failure } }
        return Failure(
            .creation,
            "service \(service.name) is created in the parent of this process alone: another thread was creating it during the fork; remove it, and register it again"
        )
    }

    static var deepest: Int { 128 }

    // The creations of each thread, innermost last. Rarely used, and under its own lock.
    private static let running = Guarded<[UInt: Creation]>([:])

    static var thisThread: UInt? { peal_thread_current().map { UInt(bitPattern: $0) } }

    /// The innermost creation of this thread.
    static var here: Creation? {
        guard let thread = thisThread else { return nil }
        return running.withLock { $0[thread] }.flatMap { $0.isLost ? nil : $0 }
    }

    static var all: [Creation] {
        let innermost = running.withLock { Array($0.values) }
        return innermost.flatMap { sequence(first: $0, next: { $0.outer }) }
    }

    func enter() {
        Self.running.withLock { $0[thread] = self }
        outer?.withState { $0.needs = service }
    }

    /// Stores a possible cause for the failure of this thread's creation.
    static func note(_ cause: Failure) {
        here?.withState { $0.cause = cause }
    }

    /// Ends the creation. The caller must hold the lock of `CreationMonitor`, and wakes the waiting threads.
    func leave(_ failure: Failure?) {
        Self.running.withLock { $0[thread] = outer }
        outer?.withState { $0.needs = nil }
        withState { state in
            state.isDone = true
            state.failure = failure
        }
    }

    /// The circular dependency that arises if this thread's creation gets a service: the path from that service to
    /// itself; nil if there is none. The caller must hold the lock of `CreationMonitor`.
    static func cycle(from requested: Service) -> [Service]? {
        var path = [requested]
        var next = requested.readState { $0.creation }?.needs
        while let service = next {
            path.append(service)
            if service === requested { return path }
            // Another thread reports a circular dependency that does not include `requested`.
            guard path.count <= longestPath else { return nil }
            next = service.readState { $0.creation }?.needs
        }
        return nil
    }

    private static var longestPath: Int { 65_536 }
}
