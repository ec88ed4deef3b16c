/// A service that another one needs, by its name or its type.
///
/// ```swift
/// try center.register(AccountService.self, dependencies: [.type(Database.self), "network"]) { … }
/// ```
public struct ServiceDependency: ExpressibleByStringLiteral, Hashable, Sendable {
    /// The service's name.
    public let name: String

    /// The service of this name.
    public init(named name: String) { self.name = name }

    public init(stringLiteral name: String) { self.name = name }

    /// The service of this name.
    public static func named(_ name: String) -> ServiceDependency { ServiceDependency(named: name) }

    /// The service that was registered with this type, and no name of its own.
    public static func type<Instance>(_ type: Instance.Type) -> ServiceDependency {
        ServiceDependency(named: TypeName.of(type))
    }
}
