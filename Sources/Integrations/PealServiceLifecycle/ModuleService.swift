#if canImport(ServiceLifecycle)
public import Peal
public import ServiceLifecycle

/// The modules of a center as a service of swift-service-lifecycle.
///
///     let group = ServiceGroup(services: [database, ModuleService(center)], logger: logger)
///     try await group.run()
///
/// The group starts the modules after the services before it, and stops them at its graceful shutdown, before those
/// services.
public struct ModuleService: Service {
    /// The center of the modules.
    public let center: Center
    /// How long all stops together may take; `nil` for no limit.
    public let stopTimeout: Duration?

    /// Makes a service of the modules of a center.
    public init(_ center: Center = .default, stopTimeout: Duration? = nil) {
        self.center = center
        self.stopTimeout = stopTimeout
    }

    /// Starts the modules, and stops them at the graceful shutdown or when the task is cancelled.
    public func run() async throws {
        try await center.startModules()
        // Modules are stopped after a cancellation too.
        try? await gracefulShutdown()
        let (center, timeout) = (center, stopTimeout)
        try await Task { () async throws -> Void in try await center.stopModules(timeout: timeout) }.value
    }
}
#endif
