extension Module {
    public var moduleName: String { TypeName.of(Self.self) }
    public var moduleClass: String? { nil }
    public var dependencies: [Dependency] { [] }
    public var priority: Int32 { 0 }
    public var stepTimeLimit: Duration? { .seconds(10) }
    public var tables: [Provision] { [] }

    public func start(in center: Center) async throws {}
    public func stop(in center: Center) async throws {}

    public func willStart() {}
    public func didStart() {}
    public func willTerminate() {}
    public func willResignActive() {}
    public func didBecomeActive() {}
    public func didEnterBackground() {}
    public func willEnterForeground() {}
    public func memoryWarning() {}
    public func configurationReloaded() {}
    public func openURL(_ url: String) -> Bool { false }
    public func continueActivity(type: String, data: String?) -> Bool { false }
    public func remoteNotification(_ payload: String) async -> Int64? { nil }
}
