internal import CPealSupport

/// Protocols that are in every center, with the texts of the headers. Each is defined when a caller first defines or
/// finds it.
enum BuiltInProtocols {
    /// The texts of a built-in protocol's methods; nil if no built-in protocol has the name.
    static func methods(of name: String) -> [String]? {
        switch name {
        case ServiceEvents.proto: ServiceEvents.methods
        case Lifecycle.name: Lifecycle.methods
        case ModuleEvents.name: ModuleEvents.methods
        case Presence.name: Presence.methods
        default: BuiltInServices.methods(of: name)
        }
    }

    /// Returns false only for names that no built-in protocol has.
    static func mayBe(_ name: UnsafePointer<CChar>) -> Bool { strncmp(name, "Peal", 4) == 0 }

    static func description(of name: String) -> ProtocolDescription? {
        guard name.hasPrefix("Peal"), let methods = methods(of: name) else { return nil }
        return ProtocolDescription(name: name, methods: methods.map(ProtocolDescription.MethodSource.text))
    }

    /// Broadcasts a method whose parameters are texts, by its rank. Call with no lock held. Without observers the texts
    /// are not made.
    static func notify(_ proto: String, _ rank: Int, in center: Center, _ texts: () -> [String]) {
        let method = try? center.withState { (state) throws(Failure) -> Method? in
            state.protocolsByName[proto].map { state[$0].own[rank] }
        }
        guard let method = method ?? nil, !peal_directory_is_empty(method.element) else { return }
        send(method.id, texts(), [])
    }

    private static func send(_ method: UInt64, _ texts: [String], _ values: [UnsafePointer<CChar>]) {
        if values.count < texts.count {
            return texts[values.count].withCString { send(method, texts, values + [$0]) }
        }
        var values = values
        values.withUnsafeMutableBufferPointer { values in
            let pointers = values.indices.map { index in values.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
            }
            _ = Broadcast.send(
                method, arguments: pointers, count: pointers.count, request: BroadcastRequest(result: nil), calls: nil)
        }
    }
}
