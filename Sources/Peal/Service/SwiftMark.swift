internal import CPeal

/// By what an instance that was made in Swift is known: it provides one more protocol, which tells its type.
///
/// Only of such an instance `self` may be read as an object. That every service of Swift has the protocol is
/// why a center never says of it that its provider is ambiguous: nobody gets it so.
@usableFromInline
enum SwiftMark {
    static let protocolName = "PealSwiftInstance"

    private struct Table: BitwiseCopyable {
        var size = MemoryLayout<Table>.size
        var typeName: @convention(c) (UnsafeMutableRawPointer?) -> UnsafePointer<CChar>?
    }

    /// Of a size and one function.
    @inlinable static var tableSize: Int { 2 * MemoryLayout<UInt>.size }

    /// What a service of Swift provides beside its own.
    static var provision: Provision {
        Provision(protocolName, Table { pointer in
            guard let pointer else { return nil }
            return Box.object(pointer, as: InstanceBox.self).typeNameInC
        })
    }

    /// The protocol in a center, defined there by the first service of Swift.
    @discardableResult
    static func define(in center: peal_center) throws(PealError) -> peal_protocol {
        try NameList.with(["required const char *type_name(void)"]) { methods throws(PealError) in
            try NameList.with([protocolName]) { names throws(PealError) in
                var description = peal_protocol_description()
                description.size = MemoryLayout<peal_protocol_description>.size
                description.name = names[0]
                description.methods = methods
                description.table_size = tableSize
                var defined = peal_protocol()
                try PealError.check(peal_protocol_define(center, &description, &defined, nil, 0))
                return defined
            }
        }
    }

    /// The protocol in a center; zero where no service of Swift was registered.
    static func find(in center: peal_center) -> peal_protocol {
        var found = peal_protocol()
        _ = peal_protocol_find(center, protocolName, &found)
        return found
    }
}
