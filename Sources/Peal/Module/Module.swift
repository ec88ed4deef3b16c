/// A part of an application that is started in order, told what happens, and stopped.
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
/// try await center.stopModules(within: .seconds(5))
/// ```
///
/// Everything has a default, so that a module says what it cares about and nothing else. A module hears the events from
/// the end of its start until the beginning of its stop, in start order. Do not keep the ``Center`` in it that it was
/// added to: the center keeps the module, and neither would end. The C interface's `struct peal_module_description`.
public protocol Module: Sendable {
    // MARK: What it is

    /// Its name, of 1 to 255 bytes; the type's own by default.
    var moduleName: String { get }
    /// A name that several modules may share, to remove them together; nil by default.
    var moduleClass: String? { get }
    /// The modules that are started before it, and stopped after it; none by default.
    var dependencies: [Dependency] { get }
    /// Among modules that could start next, the higher is earlier; 0 by default.
    var priority: Int32 { get }
    /// How long each step may take; nil for no limit, ten seconds by default. When it passes that is reported
    /// (``ModuleEvent/overdue(_:step:after:)``), and a step that has suspended is given up.
    var stepTimeLimit: Duration? { get }
    /// Tables of C functions for protocols that are forwarded to modules, or adopt the life cycle; none by default.
    /// Their `self` leads back here by ``swiftInstance(of:at:)``.
    var tables: [Provision] { get }

    // MARK: Its steps

    /// Starts. What it throws fails the start of all, and those that had started are stopped.
    ///
    /// A start that does not suspend runs on the thread of whoever starts the modules. What it registers before it
    /// suspends for the first time belongs to the module's owner.
    func start(in center: Center) async throws
    /// Stops. What it throws is reported, and the next module is stopped.
    func stop(in center: Center) async throws

    // MARK: What it is told

    /// Before anything starts; where the module has a queue or is a service, or comes late, right before its own start.
    func willStart()
    /// All have started.
    func didStart()
    /// All will be stopped.
    func willTerminate()
    /// The application is about to lose the user's attention.
    func willResignActive()
    /// The application has the user's attention.
    func didBecomeActive()
    /// The user sees the application no more.
    func didEnterBackground()
    /// The user will see the application again.
    func willEnterForeground()
    /// Memory is short: let go what can be made again.
    func memoryWarning()
    /// The configuration has changed.
    func configurationReloaded()
    /// Whether it opens a URL. The first module that says true is the last that is asked.
    func openURL(_ url: String) -> Bool
    /// Whether it goes on with what the user did elsewhere. The first module that says true is the last that is asked.
    func continueActivity(type: String, data: String?) -> Bool
    /// Takes a remote notification, and answers with a number when it is done; nil for no answer.
    func remoteNotification(_ payload: String) async -> Int64?
}
