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
    /// Opens none.
    public func openURL(_ url: String) -> Bool { false }
    /// Goes on with nothing.
    public func continueActivity(type: String, data: String?) -> Bool { false }
    /// Gives no answer.
    public func remoteNotification(_ payload: String) async -> Int64? { nil }
}
