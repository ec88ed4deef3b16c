public import CPeal

extension Center {
    /// Defines a protocol, or finds that it is defined, and checks all of its methods.
    ///
    /// The first use of a method does the same for that method. Define a protocol by itself to detect a mistake early,
    /// or to define it for others before it is used.
    ///
    /// - Returns: The protocol in the C interface.
    /// - Throws: ``Status/conflict`` if the center has the protocol with another prototype or policy; the
    ///   sentence names the method, the parameter and both types. ``Status/type`` for a struct that C would lay out
    ///   otherwise.
    ///
    /// Thread rule: any thread. The C interface's `peal_protocol_define`, and `peal_type_declare` for structs.
    @discardableResult
    public func define(_ type: any PealProtocol.Type) throws(PealError) -> peal_protocol {
        let found = try findOrDefine(type)
        for method in type.methods { _ = try resolve(method.signature) }
        return found
    }

    /// The protocol, defined if need be.
    func findOrDefine(_ type: any PealProtocol.Type) throws(PealError) -> peal_protocol {
        var found = peal_protocol(id: 0)
        let status = Status(peal_protocol_find(handle, type.name, &found))
        if status == .notFound { return try defineMissing(type) }
        if status.isFailure { throw PealError.last(status) }
        return found
    }

    /// Defines the protocol; an existing one gains the missing methods, or the first difference is thrown.
    private func defineMissing(_ type: any PealProtocol.Type) throws(PealError) -> peal_protocol {
        try checkIsNotShared(type)
        for adopted in type.adopts { _ = try findOrDefine(adopted) }
        for method in type.methods { try declareTypes(of: method.signature) }
        var defined = peal_protocol(id: 0)
        let status = CStrings.withList(type.adopts.map { $0.name }) { adopts in
            CStrings.withList(type.methods.map(\.signature.text)) { methods in
                type.name.withCString { name in
                    var description = peal_protocol_description(
                        size: MemoryLayout<peal_protocol_description>.size, name: name, adopts: adopts,
                        methods: methods,
                        table_size: 0)
                    return peal_protocol_define(handle, &description, &defined, nil, 0)
                }
            }
        }
        try PealError.check(status)
        return defined
    }

    /// Refuses a protocol without a name of its own where the center has a protocol with the type's bare name: probably
    /// the program means that protocol.
    private func checkIsNotShared(_ type: any PealProtocol.Type) throws(PealError) {
        let bareName = String(describing: type)
        var found = peal_protocol(id: 0)
        guard type.name == TypeName.ofProtocol(type), Status(peal_protocol_find(handle, bareName, &found)) == .ok else {
            return
        }
        throw PealError(
            status: .conflict,
            message: "the center has a protocol '\(bareName)', and \(type) is '\(type.name)'; declare "
                + "'static let name = \"\(bareName)\"' in it to use that protocol, or another name")
    }

    /// Declares the structs of a method in the center.
    private func declareTypes(of method: MethodSignature) throws(PealError) {
        for value in method.types.all {
            if let misplacement = value.misplacement { throw PealError(status: .type, message: misplacement) }
            guard let declaration = value.type.declaration else { continue }
            try PealError.check(peal_type_declare(handle, declaration))
        }
    }

    /// The method in this center, found and checked. The result is cached.
    @inlinable @inline(__always)
    func resolved(_ signature: MethodSignature) throws(PealError) -> ResolvedMethod {
        if let found = cache.find(signature.location) { return found }
        return try resolve(signature)
    }

    /// Registers for a method that the cache has, or that is found. If a handle of the cache is stale, the method is found
    /// by its name, and the registration is made for that.
    func registering<Result>(
        for signature: MethodSignature, _ register: (ResolvedMethod) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        let known = try resolved(signature)
        do throws(PealError) {
            return try register(known)
        } catch {
            guard error.status == .handle else { throw error }
            let found = try resolve(signature)
            let isKnown = found.method.id == known.method.id && found.protocol.id == known.protocol.id
            guard !isKnown else { throw error }
            return try register(found)
        }
    }

    /// Finds a method by its name, and caches it. A method that the cache has was checked before.
    @usableFromInline
    func resolve(_ signature: MethodSignature) throws(PealError) -> ResolvedMethod {
        let owner = try findOrDefine(signature.owner)
        let method = try find(signature, in: owner)
        if let known = cache.find(signature.location), known.method.id == method.id, known.protocol.id == owner.id {
            return known
        }
        let found = try check(signature, method, of: owner)
        cache.keep(found, at: signature.location)
        return found
    }

    private func find(_ signature: MethodSignature, in owner: peal_protocol) throws(PealError) -> peal_method {
        var found = peal_method(id: 0)
        var status = Status(peal_method_find(owner, signature.name, &found))
        if status == .notFound {
            guard signature.owner.methods.contains(where: { $0.signature.name == signature.name }) else {
                throw PealError(
                    status: .notFound,
                    message: "protocol \(signature.owner.name): '\(signature.name)' is not in "
                        + "\(signature.owner).methods; add it there")
            }
            _ = try defineMissing(signature.owner)
            status = Status(peal_method_find(owner, signature.name, &found))
        }
        if status.isFailure { throw PealError.last(status) }
        return found
    }
}

/// Compares a Swift declaration with the center's definition.
extension Center {
    /// Returns the method if it matches Swift's declaration.
    func check(
        _ signature: MethodSignature, _ method: peal_method, of owner: peal_protocol
    ) throws(PealError) -> ResolvedMethod {
        let title = "method \(signature.owner.name).\(signature.name)"
        try check(signature.types, method, title)
        let policy = try MethodInfo(method).policy
        if let declared = signature.policy, declared != policy,
            try !Self.isChain(declared, policy, signature, method)
        {
            throw PealError(
                status: .conflict,
                message: "\(title): its policy is \(policy.text), and Swift declares \(declared.text)")
        }
        return ResolvedMethod(method: method, protocol: owner, policy: policy.cValue)
    }

    /// Compares the types of the parameters and the result.
    func check(_ types: MethodTypes, _ method: peal_method, _ title: String) throws(PealError) {
        let description = try TypeDescription(of: method)
        try check(types.parameters, description, title)
        try check(types.result, description, title)
    }

    /// Compares the types of the parameters.
    func check(
        _ types: [ValueType], _ description: borrowing TypeDescription, _ title: String
    ) throws(PealError) {
        let function = description.type.pointee
        guard function.count == types.count else {
            throw PealError(
                status: .conflict,
                message: "\(title): it has \(function.count) parameters, and Swift declares \(types.count)")
        }
        var next = function.members
        for (index, type) in types.enumerated() {
            guard let parameter = next?.pointee else { break }
            next = parameter.next
            let name = String(cString: parameter.name)
            try check(type, parameter.type.pointee, title, "parameter \(index + 1)\(name.isEmpty ? "" : " '\(name)'")")
        }
    }

    /// Compares the type of the result; nil for none.
    func check(_ type: ValueType?, _ description: borrowing TypeDescription, _ title: String) throws(PealError) {
        let found = description.type.pointee.target.pointee
        if let type { return try check(type, found, title, "its result") }
        if found.kind == PEAL_KIND_VOID { return }
        throw PealError(
            status: .conflict,
            message: "\(title): its result is \(String(cString: found.name)), and Swift declares Void")
    }

    private func check(
        _ type: ValueType, _ found: peal_type, _ title: String, _ location: String
    ) throws(PealError) {
        if TypeComparison(center: handle).fits(type, found) { return }
        let sizes = found.value_size == type.size ? "" : "; they have \(found.value_size) and \(type.size) bytes"
        throw PealError(
            status: .conflict,
            message:
                "\(title): \(location) is \(String(cString: found.name)), and Swift declares \(type.swiftName), "
                + "which is \(type.type)\(sizes)")
    }

    /// True if a chain through a named parameter is one through the first of the result's type.
    private static func isChain(
        _ declared: Policy, _ policy: Policy, _ signature: MethodSignature, _ method: peal_method
    ) throws(PealError) -> Bool {
        let types = signature.types
        guard declared == .chain, case .chainThrough(let name) = policy,
            let index = types.parameters.firstIndex(where: { $0.type == types.result?.type })
        else { return false }
        return try CStrings.copied { Status(peal_method_parameter_name(method, index, $0, $1, $2)) } == name
    }
}
