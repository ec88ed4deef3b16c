internal import CPeal

/// A part of an application that is started in order, notified of events, and stopped.
///
/// ```swift
/// final class Network: Module {
///     var dependencies: [Dependency] { [.type(Storage.self)] }
///     func start(in center: Center) async throws { … }
///     func stop(in center: Center) async throws { … }
///     func didBecomeActive() { … }
/// }
///
/// try center.add(Storage())
/// try center.add(Network())
/// try await center.startModules()              // storage first, then network
/// try center.lifecycle.didBecomeActive()
/// try await center.stopModules(timeout: .seconds(5))
/// ```
///
/// Everything has a default, so a module defines only what differs. A module receives events from
/// the end of its start until the beginning of its stop, in start order. Do not keep the ``Center`` in it that it was
/// added to: the center keeps the module, and neither would end. The C interface's `struct peal_module_description`.
public protocol Module: Sendable {
    // MARK: Properties

    /// The module's name, of 1 to 255 bytes; the type's full name by default.
    var moduleName: String { get }
    /// A name that several modules may share, to remove them together; nil by default.
    var moduleClass: String? { get }
    /// The modules that are started before this one, and stopped after it; none by default.
    var dependencies: [Dependency] { get }
    /// Among modules that could start next, the higher is earlier; 0 by default.
    var priority: Int32 { get }
    /// How long each step may take; nil for no limit, ten seconds by default. Its expiry is reported
    /// (``ModuleEvent/overdue(_:step:after:)``), and a step that has suspended is cancelled.
    var stepTimeout: Duration? { get }
    /// Tables of C functions for protocols that are forwarded to modules, or adopt the life cycle; none by default.
    /// ``swiftInstance(of:at:)`` returns the module for the `self` of such a function.
    var tables: [Provision] { get }

    // MARK: Steps

    /// Starts. An error fails the start of all, and the started modules are stopped.
    ///
    /// A start that does not suspend runs on the thread that starts the modules. Its registrations before its first
    /// suspension belong to the module's owner.
    func start(in center: Center) async throws
    /// Stops. An error is reported, and the next module is stopped.
    func stop(in center: Center) async throws

    // MARK: Events

    /// Called before any start. A module with a queue, a module that is a service and a module that is added late are
    /// called right before their own start.
    func willStart()
    /// Called when all modules have started.
    func didStart()
    /// Called before all modules are stopped.
    func willTerminate()
    /// The application is about to lose the user's attention.
    func willResignActive()
    /// The application has the user's attention.
    func didBecomeActive()
    /// The user no longer sees the application.
    func didEnterBackground()
    /// The user will see the application again.
    func willEnterForeground()
    /// Memory is short: release objects that can be made again.
    func memoryWarning()
    /// The configuration has changed.
    func configurationReloaded()
    /// Returns true if the module opens the URL. No module is called after the first that returns true.
    func openURL(_ url: String) -> Bool
    /// Returns true if the module continues the activity. No module is called after the first that returns true.
    func continueActivity(type: String, data: String?) -> Bool
    /// Handles a remote notification, and returns a number as its answer; nil for no answer.
    func remoteNotification(_ payload: String) async -> Int64?
}

extension Module {
    /// The type's full name, as in `App.Network`.
    public var moduleName: String { TypeName.of(Self.self) }
    /// None.
    public var moduleClass: String? { nil }
    /// None.
    public var dependencies: [Dependency] { [] }
    /// 0.
    public var priority: Int32 { 0 }
    /// Ten seconds.
    public var stepTimeout: Duration? { .seconds(10) }
    /// None.
    public var tables: [Provision] { [] }

    /// Does nothing.
    public func start(in center: Center) async throws {}
    /// Does nothing.
    public func stop(in center: Center) async throws {}

    /// Does nothing.
    public func willStart() {}
    /// Does nothing.
    public func didStart() {}
    /// Does nothing.
    public func willTerminate() {}
    /// Does nothing.
    public func willResignActive() {}
    /// Does nothing.
    public func didBecomeActive() {}
    /// Does nothing.
    public func didEnterBackground() {}
    /// Does nothing.
    public func willEnterForeground() {}
    /// Does nothing.
    public func memoryWarning() {}
    /// Does nothing.
    public func configurationReloaded() {}
    /// Opens no URL: false.
    public func openURL(_ url: String) -> Bool { false }
    /// Continues no activity: false.
    public func continueActivity(type: String, data: String?) -> Bool { false }
    /// No answer: nil.
    public func remoteNotification(_ payload: String) async -> Int64? { nil }
}

/// The properties of a module, in the form of C.
struct ModuleTraits {
    let name: String
    let moduleClass: String?
    let dependencies: [Dependency]
    let priority: Int32
    let stepTimeout: Duration?
    let tables: [Provision]
    let service: String?

    /// Calls a body with the description, which lasts for the call.
    func withDescription(_ body: (inout peal_module_description) -> peal_status) throws(PealError) -> peal_status {
        try CStrings.check(name, is: "the module's name")
        try CStrings.check(moduleClass ?? "", is: "the module's class")
        for dependency in dependencies { try CStrings.check(dependency.name, is: "the dependency") }
        let names = [name, moduleClass ?? "", service ?? ""] + dependencies.map(\.name)
        return try CStrings.withList(names) { names throws(PealError) in
            try ProvisionList.with([ModuleFunctions.lifecycle] + tables) { provisions throws(PealError) in
                var description = peal_module_description()
                description.size = MemoryLayout<peal_module_description>.size
                description.name = names[0]
                description.class_name = moduleClass == nil ? nil : names[1]
                description.service = service == nil ? nil : names[2]
                description.dependencies = names + 3
                description.tables = provisions
                description.priority = priority
                // Zero would mean ten seconds.
                description.timeout = max(1, Milliseconds.limit(stepTimeout))
                return body(&description)
            }
        }
    }
}
