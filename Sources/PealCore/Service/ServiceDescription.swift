public import CPealSupport

/// What a caller registers as a service.
public struct ServiceDescription {
    public typealias Record = peal_service_record

    /// The functions and the context, as they are kept; the rest is filled in.
    public typealias Create = @convention(c) (UnsafeMutablePointer<peal_creation>?) -> UnsafeMutableRawPointer?
    public typealias Initialize = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<peal_creation>?) -> Bool
    public typealias Act = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// A protocol that it provides, with the caller's table.
    public struct Provision {
        public var proto: String
        public var table: UnsafeRawPointer

        public init(proto: String, table: UnsafeRawPointer) {
            self.proto = proto
            self.table = table
        }
    }

    public var name: String
    public var provisions: [Provision] = []
    public var dependencies: [String] = []
    public var isPersistent = false
    public var context: UnsafeMutableRawPointer?
    public var create: Create?
    public var initialize: Initialize?
    public var clearData: Act?
    public var destroy: Act?
    public var release: Act?
    public var owner: Owner?
    /// One of peal's own: nobody removes it.
    var isBuiltIn = false

    public init(name: String) {
        self.name = name
    }

    /// Names that begin so are peal's own.
    static var reserved: String { "peal." }
    static var longestName: Int { 255 }

    func check() throws(Failure) {
        try Self.checkName(name)
        guard isBuiltIn || !name.hasPrefix(Self.reserved) else {
            throw Failure(.argument, "the name \(name) is peal's own, as all that begin with \(Self.reserved); choose another")
        }
        guard create != nil || context != nil else {
            throw Failure(.argument, "service \(name) has no create function and no context, which would be its instance; give one of them")
        }
        for dependency in dependencies { try Self.checkName(dependency) }
        guard provisions.count <= Int(UInt16.max), dependencies.count <= Int(UInt16.max) else {
            throw Failure(.limit, "service \(name) has more than \(UInt16.max) provisions or dependencies")
        }
    }

    private static func checkName(_ name: String) throws(Failure) {
        guard !name.isEmpty, name.utf8.count <= longestName else {
            throw Failure(.argument, "a service's name has 1 to \(longestName) bytes; this one has \(name.utf8.count)")
        }
    }
}
