internal import CPeal

/// Marks an instance that was made in Swift: it provides one more protocol, which has its type.
///
/// Only the `self` of such an instance may be read as an object. Every service of Swift has the protocol, and no code
/// gets a service by it, so its ambiguity is never reported.
@usableFromInline
enum SwiftMark {
    static let protocolName = "PealSwiftInstance"

    private struct Table: BitwiseCopyable {
        var size = MemoryLayout<Table>.size
        var typeName: @convention(c) (UnsafeMutableRawPointer?) -> UnsafePointer<CChar>?
    }

    /// A size and one function.
    @inlinable static var tableSize: Int { 2 * MemoryLayout<UInt>.size }

    /// The additional table of a service of Swift.
    static var provision: Provision {
        Provision(
            protocolName,
            Table { pointer in
                guard let pointer else { return nil }
                return Box.object(pointer, as: InstanceBox.self).typeNameInC
            })
    }

    /// The protocol in a center, defined there by the first service of Swift.
    @discardableResult
    static func define(in center: peal_center) throws(PealError) -> peal_protocol {
        try CStrings.withList(["required const char *type_name(void)"]) { methods throws(PealError) in
            try CStrings.withList([protocolName]) { names throws(PealError) in
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
