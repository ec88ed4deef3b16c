// The declarations of swift-service-lifecycle whose names a program uses unqualified.
public protocol Service: Sendable { func run() async throws }

public actor ServiceGroup {
    private let services: [any Service]

    public init(services: [any Service]) { self.services = services }

    public func run() async throws { for service in services { try await service.run() } }
}
