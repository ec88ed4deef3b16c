extension Registration {
    /// Names a service instead of the target. Its functions are `service`.
    public mutating func setService(_ name: String) throws(Failure) {
        let proto = proto
        let service = try Service.find(name, in: proto.center)
        guard let functions = service.functions(for: proto) else {
            throw Failure(
                .notFound,
                "service \(name) does not provide \(proto.name); name it in the `provides` of its description")
        }
        lazy = LazyObserver(service, functions: functions)
    }
}

extension Failure {
    static func serviceEnded(_ name: String) -> Failure {
        Failure(.notFound, "service \(name) was unregistered meanwhile; register it before its lazy observers")
    }
}
