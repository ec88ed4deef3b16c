// The declarations of swift-service-lifecycle that the tests use.
public import Logging
import Synchronization

public protocol Service: Sendable { func run() async throws }

public struct UnixSignal: Hashable, Sendable {}

public actor ServiceGroup: Service {
    private let services: [any Service]
    private var shutdown: Shutdown?

    public init(
        services: [any Service], gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = [],
        logger: Logger
    ) {
        self.services = services
    }

    public func run() async throws {
        // A group that a service runs shuts down with the group of that service too.
        let shutdown = Shutdown(Shutdown.current)
        self.shutdown = shutdown
        try await Shutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try await service.run() } }
                try await group.waitForAll()
            }
        }
    }

    public func triggerGracefulShutdown() async { shutdown?.begin() }
}

private final class Shutdown: Sendable {
    @TaskLocal static var current: Shutdown?
    private let hasBegun = Atomic(false)
    private let parent: Shutdown?

    init(_ parent: Shutdown?) { self.parent = parent }

    func begin() { hasBegun.store(true, ordering: .relaxed) }

    var isOver: Bool { hasBegun.load(ordering: .relaxed) || parent?.isOver == true }
}

public func gracefulShutdown() async throws {
    while Shutdown.current?.isOver != true { try await Task.sleep(for: .milliseconds(1)) }
}
