extension Registration {
    /// Makes a registration that names a service instead of a target.
    public init(proto: PealProtocol, service name: String) throws(Failure) {
        let service = try Service.find(name, in: proto.center)
        guard let functions = service.functions(for: proto) else {
            throw Failure(
                .notFound,
                "service \(name) does not provide \(proto.name); name it in the `provides` of its description")
        }
        self.init(proto: proto, target: nil, functions: .service)
        lazy = LazyObserver(service, functions: functions)
    }

    /// Registers, and first follows the service, which then reports even an end during this registration.
    mutating func registerFollowing() throws(Failure) -> CenterState.RegistrationOutcome {
        guard let lazy else { return try registerOverDead() }
        lazy.service.add(lazy)
        do throws(Failure) {
            return try registerOverDead()
        } catch {
            lazy.service.remove(lazy)
            throw error
        }
    }
}

extension Failure {
    static func serviceEnded(_ name: String) -> Failure {
        Failure(.notFound, "service \(name) was unregistered meanwhile; register it before its lazy observers")
    }
}
