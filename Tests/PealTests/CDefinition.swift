import CPeal
import Peal
import Testing

extension Center {
    /// Defines a protocol as a C program does.
    func defineInC(_ name: String, _ methods: [String]) throws {
        let texts = methods.map { Array($0.utf8CString) }
        let kept = texts.map { text in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
            copy.initialize(from: text, count: text.count)
            return copy
        }
        defer { kept.forEach { $0.deallocate() } }
        let list: [UnsafePointer<CChar>?] = kept.map { UnsafePointer($0) } + [nil]
        let status = list.withUnsafeBufferPointer { list in
            name.withCString { name in
                var description = peal_protocol_description(
                    size: MemoryLayout<peal_protocol_description>.size, name: name, adopts: nil,
                    methods: list.baseAddress, table_size: 0)
                return peal_protocol_define(handle, &description, nil, nil, 0)
            }
        }
        try #require(status == PEAL_OK, "\(String(cString: peal_last_message()))")
    }

    /// Registers a C function as the observer of a method. The C interface checks its prototype.
    func observeInC(
        _ owner: peal_protocol, _ name: String, _ prototype: String, _ function: peal_function,
        target: UnsafeMutableRawPointer? = nil
    ) throws -> ObserverToken {
        var observation = peal_observation(id: 0)
        let status = name.withCString { name in
            prototype.withCString { prototype in
                var binding = peal_binding(method: name, function: function, prototype: prototype)
                return peal_observe_bindings(owner, target, &binding, 1, nil, &observation)
            }
        }
        try #require(status == PEAL_OK, "\(String(cString: peal_last_message()))")
        return ObserverToken(observation)
    }
}
