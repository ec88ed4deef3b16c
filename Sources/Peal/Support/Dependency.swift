/// A service or a module that another one needs, by its name or its type.
///
/// ```swift
/// try center.register(AccountService.self, dependencies: [.type(Database.self), "network"]) { … }
/// ```
public struct Dependency: ExpressibleByStringLiteral, Hashable, Sendable {
    /// Its name.
    public let name: String

    /// A dependency with this name.
    public init(named name: String) { self.name = name }

    /// A dependency with this name: `"network"` in a list of dependencies.
    public init(stringLiteral name: String) { self.name = name }

    /// A dependency with this name.
    public static func named(_ name: String) -> Dependency { Dependency(named: name) }

    /// A dependency of this type without a name of its own.
    public static func type<Instance>(_ type: Instance.Type) -> Dependency {
        Dependency(named: TypeName.of(type))
    }
}
