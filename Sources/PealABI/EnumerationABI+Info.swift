public import CPeal
internal import PealCall
internal import PealCore

@c @implementation
public func peal_center_get_info(
    _ center: peal_center, _ out_info: UnsafeMutablePointer<peal_center_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about a center", peal_center_info()) { (info) throws(Failure) in
        let center = try center.find()
        info.protocols = try center.listProtocols().count
        info.properties = try center.listProperties().count
        info.services = try center.listServices().count
        info.modules = center.listedModuleCount
        info.types = try center.typeNames().count
        info.is_default = center === Center.shared
    }
}

@c @implementation
public func peal_protocol_get_info(
    _ proto: peal_protocol, _ out_info: UnsafeMutablePointer<peal_protocol_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about a protocol", peal_protocol_info()) { (info) throws(Failure) in
        let proto = try proto.find()
        info.center = peal_center(id: proto.center.id)
        info.version = UInt32(clamping: try proto.version())
        info.is_built_in = proto.isBuiltIn
        info.methods = try proto.methods().count
        info.adopted = proto.adoptedProtocols.count
        Boundary.fill(&info.name, with: proto.name)
    }
}

@c @implementation
public func peal_method_get_info(
    _ method: peal_method, _ out_info: UnsafeMutablePointer<peal_method_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about a method", peal_method_info()) { (info) throws(Failure) in
        let method = try method.find()
        info.protocol = peal_protocol(id: method.owner.id)
        info.origin = peal_protocol(id: method.originId)
        info.center = peal_center(id: method.owner.center.id)
        info.set(method.declaration)
        info.setResult(of: method)
        info.parameters = method.parameterCount
        info.last_calls = method.lastCallCount
        Boundary.fill(&info.name, with: method.name)
    }
}

extension peal_method_info {
    fileprivate mutating func setResult(of method: Method) {
        policy = peal_policy(rawValue: UInt32(method.declaredPolicy.rawValue))
        is_oneway = method.resultSize == 0
        chained_parameter = method.chainedParameter.map { $0 + 1 } ?? 0
    }

    fileprivate mutating func set(_ declaration: MethodDeclaration) {
        recursion =
            switch declaration.recursion {
            case .recursive: PEAL_RECURSION_RECURSIVE
            case .defer: PEAL_RECURSION_DEFER
            case .reject: PEAL_RECURSION_REJECT
            }
        since = UInt32(clamping: declaration.since)
        is_optional = declaration.requirement == .optional
        is_borrowed = declaration.isBorrowed
        is_sticky = declaration.sticky != nil
    }
}

@c @implementation
public func peal_property_get_info(
    _ property: peal_property, _ out_info: UnsafeMutablePointer<peal_property_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about a property", peal_property_info()) { (info) throws(Failure) in
        let property = try Property.find(property.id)
        info.center = peal_center(id: property.center.id)
        info.flags = property.hasIgnoreEqual ? UInt32(PEAL_PROPERTY_IGNORE_EQUAL.rawValue) : 0
        info.value_size = property.valueSize
        info.observers = try property.countObservers()
        Boundary.fill(&info.name, with: property.name)
        Boundary.fill(&info.type, with: property.typeText)
    }
}

@c @implementation
public func peal_owner_get_info(
    _ owner: peal_owner, _ out_info: UnsafeMutablePointer<peal_owner_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about an owner", peal_owner_info()) { (info) throws(Failure) in
        let owner = try owner.find()
        info.observations = owner.observations.count
        info.others = owner.objectCount
        Boundary.fill(&info.name, with: owner.name)
    }
}

@c @implementation
public func peal_proxy_get_info(
    _ proxy: peal_proxy, _ out_info: UnsafeMutablePointer<peal_proxy_info>?
) -> peal_status {
    Boundary.fill(out_info, "the information about a proxy", peal_proxy_info()) { (info) throws(Failure) in
        let proxy = try proxy.find()
        info.protocol = peal_protocol(id: proxy.broadcastProtocol)
        info.method = peal_method(id: proxy.broadcastMethod)
        info.owner = peal_owner(id: proxy.ownerId)
        info.is_alive = proxy.isAlive
    }
}

extension Boundary {
    /// Fills a structure whose size the caller has set. On failure it is unchanged.
    static func fill<Info>(
        _ out: UnsafeMutablePointer<Info>?, _ name: String, _ empty: Info, _ fill: (inout Info) throws(Failure) -> Void
    ) -> peal_status {
        status { () throws(Failure) in
            guard let out else { throw .null("out_info") }
            _ = try options(out, named: name, default: empty)
            var info = empty
            try fill(&info)
            // The first member of each of these structs is its size.
            withUnsafeMutableBytes(of: &info) { $0.storeBytes(of: MemoryLayout<Info>.size, as: Int.self) }
            out.pointee = info
        }
    }

    /// Copies a text into an array of characters, cut to fit.
    static func fill<Room>(_ room: inout Room, with text: String) {
        withUnsafeMutableBytes(of: &room) { bytes in
            guard let start = bytes.baseAddress else { return }
            copy(text, to: start.assumingMemoryBound(to: CChar.self), capacity: bytes.count)
        }
    }
}
