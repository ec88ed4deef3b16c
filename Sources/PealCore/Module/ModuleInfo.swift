/// What there is to know of a module.
public struct ModuleInfo: Sendable {
    public let state: ModuleState
    public let priority: Int32
    public let name: String
    public let className: String
    public let dependencies: String
    public let order: UInt64
    public let startedAt: UInt64
    public let startTime: UInt64
    public let stopTime: UInt64
    public let isOverdue: Bool
    public let lastFailure: String
}
