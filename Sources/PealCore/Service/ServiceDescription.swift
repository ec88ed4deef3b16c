public import CPealSupport

/// A caller's description of a service. Names and tables are the caller's, and are copied when the service is registered.
public struct ServiceDescription: ~Copyable {
    public typealias Record = peal_service_record

    /// The types of a service's functions.
    public typealias Create = @convention(c) (UnsafeMutablePointer<peal_creation>?) -> UnsafeMutableRawPointer?
    public typealias Initialize =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<peal_creation>?) -> Bool
    public typealias Act = @convention(c) (UnsafeMutableRawPointer?) -> Void

    public typealias Name = UnsafePointer<CChar>

    /// UTF-8, like the other names.
    public let name: Name
    /// The protocols that it provides, each with a table; none is NULL.
    public var provisions = UnsafeBufferPointer<peal_provision>(start: nil, count: 0)
    /// None is NULL.
    public var dependencies = UnsafeBufferPointer<Name?>(start: nil, count: 0)
    public var isPersistent = false
    public var context: UnsafeMutableRawPointer?
    public var create: Create?
    public var initialize: Initialize?
    public var clearData: Act?
    public var destroy: Act?
    public var release: Act?
    public let owner: Owner?
    /// One of peal's own, which no caller can remove.
    var isBuiltIn = false

    public init(name: Name, owner: Owner? = nil) {
        self.name = name
        self.owner = owner
    }

    /// Names with this prefix are peal's own.
    static func isReserved(_ name: Name) -> Bool { strncmp(name, "peal.", 5) == 0 }
    static var longestName: Int { 255 }

    func check() throws(Failure) {
        try Self.checkName(name)
        guard isBuiltIn || !Self.isReserved(name) else {
            throw Failure(.argument, "the name \(text) is reserved, as all names that begin with peal.; choose another")
        }
        guard create != nil || context != nil else {
            throw Failure(
                .argument,
                "service \(text) has no create function and no context, which would be its instance; give one of them")
        }
        for dependency in dependencies { try Self.checkName(dependency.unsafelyUnwrapped) }
        guard provisions.count <= Int(UInt16.max), dependencies.count <= Int(UInt16.max) else {
            throw Failure(.limit, "service \(text) has more than 65535 provisions or dependencies")
        }
    }

    /// The name for sentences of failures.
    var text: String { String(cString: name) }

    private static func checkName(_ name: Name) throws(Failure) {
        let count = strlen(name)
        guard count > 0, count <= longestName else {
            throw Failure(.argument, "a service's name has 1 to 255 bytes; this one has \(count)")
        }
        try CallerText.checkName(name, "a service's name")
    }
}
