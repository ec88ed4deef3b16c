/// A registration: a name, functions, the protocols that it provides.
public final class Service: Sendable {
    public let number: UInt64
    public let name: String
    let center: Center

    init(number: UInt64, name: String, center: Center) {
        self.number = number
        self.name = name
        self.center = center
    }

    /// - Throws: `.notFound`, with near names.
    public static func find(_ name: String, in center: Center) throws(Failure) -> Service {
        throw Failure(.notFound, "there is no service \(name)")
    }

    /// Takes a use of the instance, which is created where there is none, or waited for.
    ///
    /// - Parameter asker: Who asks, in words ("observer of Chat"); nil: whoever the thread asks for.
    public func use(by asker: String? = nil) throws(Failure) -> ServiceUse {
        throw Failure(.notFound, "there is no service \(name)")
    }

    /// The functions of a provision; nil: the protocol is not provided.
    func functions(for proto: PealProtocol) -> FunctionTables? { nil }

    /// Whether its creation runs on this very thread.
    var isCreatingHere: Bool { false }

    func add(_ follower: any ServiceFollower) {}
    func remove(_ follower: any ServiceFollower) {}
}
