#if canImport(ServiceLifecycle)
public import Logging
public import Peal
public import ServiceLifecycle
internal import Synchronization

/// A service of swift-service-lifecycle as a module of a center.
///
///     try center.add(ServiceModule(server, named: "server", logger: logger))
///     try await center.startModules()
///
/// The module's start begins to run the service. Its stop shuts the service down gracefully, and waits for its end. An
/// error of the service fails the stop.
public final class ServiceModule: Module {
    /// The name among the modules.
    public let moduleName: String
    /// The modules that are started before this one, and stopped after it.
    public let dependencies: [Dependency]
    private let group: ServiceGroup
    private let run = Mutex<Task<Void, any Error>?>(nil)

    /// Makes a module of a service.
    ///
    /// - Parameters:
    ///   - service: The service. It is run once.
    ///   - name: The name among the modules; `nil` for the name of the service's type.
    ///   - dependencies: The modules that the service needs.
    ///   - logger: Gets the messages of swift-service-lifecycle.
    public init(
        _ service: some Service, named name: String? = nil, dependencies: [Dependency] = [], logger: Logger
    ) {
        moduleName = name ?? String(describing: type(of: service))
        self.dependencies = dependencies
        group = ServiceGroup(services: [service], logger: logger)
    }

    /// Begins to run the service.
    public func start(in center: Center) async throws {
        let group = group
        // Detached, because a group within a group shuts down with the outer one. Modules stop in their own order.
        run.withLock { $0 = Task.detached { try await group.run() } }
    }

    /// Shuts the service down, and waits for its end.
    public func stop(in center: Center) async throws {
        let task = run.withLock { $0.take() }
        await group.triggerGracefulShutdown()
        try await task?.value
    }
}
#endif
