extension Registration {
    /// Names a service instead of a target and functions.
    public mutating func setService(_ name: String) throws(Failure) {
        let proto = proto
        let service = try Service.find(name, in: proto.center)
        guard let provided = service.functions(for: proto) else {
            throw Failure(
                .notFound,
                "service \(name) does not provide \(proto.name); name it in the `provides` of its description")
        }
        functions = .service
        lazy = LazyObserver(service, functions: provided)
    }
}

extension Failure {
    static func serviceEnded(_ name: String) -> Failure {
        Failure(.notFound, "service \(name) was unregistered meanwhile; register it before its lazy observers")
    }
}
