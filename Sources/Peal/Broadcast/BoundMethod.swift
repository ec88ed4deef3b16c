public import CPeal

/// A method in a center, found and checked: broadcasting it looks up nothing.
///
///     let onMessage = try center.method(Chat.onMessage)
///     try onMessage("lobby", 3)
///
/// It is a plain value: copy it, and use it from any thread. It does not keep the center. `peal_method` in C.
public struct BoundMethod<Result, each Parameter: PealParameter>: Sendable {
    /// The method in the C interface.
    public let handle: peal_method
    /// Its protocol in the C interface; the one through which it was found.
    public let `protocol`: peal_protocol
    /// The rule that makes one result; the method's own policy unless ``using(_:)`` gave another.
    @usableFromInline let policy: peal_policy
    @usableFromInline let isOwnPolicy: Bool
    @usableFromInline let needsNoEncoding: Bool

    @inlinable @inline(__always)
    init(_ found: ResolvedMethod, needsNoEncoding: Bool) {
        handle = found.method
        `protocol` = found.protocol
        policy = found.policy
        isOwnPolicy = true
        self.needsNoEncoding = needsNoEncoding
    }

    @usableFromInline
    init<Other>(_ other: BoundMethod<Other, repeat each Parameter>, policy: peal_policy) {
        handle = other.handle
        `protocol` = other.protocol
        self.policy = policy
        isOwnPolicy = false
        needsNoEncoding = other.needsNoEncoding
    }

    /// The method without its types.
    @usableFromInline
    var untyped: ResolvedMethod { ResolvedMethod(method: handle, protocol: `protocol`, policy: policy) }
}

extension Center {
    /// Finds a method of a Swift protocol, and checks it. The first use in a center defines the protocol there.
    ///
    /// - Parameter method: The declaration.
    /// - Returns: The method in this center, until its protocol ends.
    /// - Throws: ``Status/conflict`` if the center has the method with another prototype.
    ///
    /// Thread rule: any thread. The C interface's `peal_method_find`.
    @inlinable @inline(__always)
    public func method<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>
    ) throws(PealError) -> BoundMethod<Result, repeat each Parameter> {
        BoundMethod(try resolved(method.signature), needsNoEncoding: method.signature.needsNoEncoding)
    }
}

extension Center {
    /// Finds a method of an adopted protocol as a method of the protocol that adopts it: a broadcast reaches the
    /// observers of the adopter, and not the observers of the adopted protocol alone.
    ///
    ///     let onMessage = try center.method(Chat.onMessage, through: Room.self)
    ///
    /// - Parameters:
    ///   - method: The declaration in the adopted protocol.
    ///   - adopter: The protocol that adopts it.
    /// - Throws: ``Status/conflict`` where the center knows the method with another prototype; ``Status/notFound``
    ///   where the adopter does not adopt its protocol.
    ///
    /// Thread rule: any thread. The C interface's `peal_method_find`.
    public func method<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, through adopter: any PealProtocol.Type
    ) throws(PealError) -> BoundMethod<Result, repeat each Parameter> {
        let own = try resolve(method.signature)
        let `protocol` = try findOrDefine(adopter)
        var found = peal_method(id: 0)
        try PealError.check(peal_method_find(`protocol`, "\(Owner.name).\(method.signature.name)", &found))
        return BoundMethod(
            ResolvedMethod(method: found, protocol: `protocol`, policy: own.policy),
            needsNoEncoding: method.signature.needsNoEncoding)
    }

    /// Finds a method whose name is known only when the program runs.
    ///
    ///     let ping = try center.method("ping", of: "Plugin", taking: Int32.self)
    ///
    /// - Parameters:
    ///   - name: `on_message`, or `Chat.on_message` where that means more than one.
    ///   - protocolName: A protocol that is defined.
    ///   - types: Checked against the prototype.
    /// - Throws: ``Status/notFound``, ``Status/ambiguous``, and ``Status/conflict`` for other types.
    ///
    /// Thread rule: any thread. The C interface's `peal_protocol_find` and `peal_method_find`.
    public func method<each Parameter: PealParameter>(
        _ name: String, of protocolName: String, taking types: repeat (each Parameter).Type
    ) throws(PealError) -> BoundMethod<Void, repeat each Parameter> {
        var list = MethodTypes(result: nil)
        _ = (repeat list.append(each types))
        return BoundMethod(try find(name, protocolName, list), needsNoEncoding: list.needNoEncoding)
    }

    /// Finds a method with a result whose name is known only when the program runs.
    ///
    ///     let votes = try center.method("votes", of: "Plugin", returning: Int32.self, taking: String.self)
    ///
    /// - Parameters:
    ///   - name: `votes`, or `Plugin.votes` where that means more than one.
    ///   - protocolName: A protocol that is defined.
    ///   - result: Checked against the prototype.
    ///   - types: Checked against the prototype.
    /// - Throws: ``Status/notFound``, ``Status/ambiguous``, and ``Status/conflict`` for other types.
    ///
    /// Thread rule: any thread. The C interface's `peal_protocol_find` and `peal_method_find`.
    public func method<Result: PealValue, each Parameter: PealParameter>(
        _ name: String, of protocolName: String, returning result: Result.Type,
        taking types: repeat (each Parameter).Type
    ) throws(PealError) -> BoundMethod<Result, repeat each Parameter> {
        var list = MethodTypes(result: ValueType(result))
        _ = (repeat list.append(each types))
        return BoundMethod(try find(name, protocolName, list), needsNoEncoding: list.needNoEncoding)
    }

    private func find(_ name: String, _ protocolName: String, _ types: MethodTypes) throws(PealError) -> ResolvedMethod
    {
        try CStrings.check(protocolName, is: "the protocol's name")
        try CStrings.check(name, is: "the method's name")
        var owner = peal_protocol(id: 0)
        try PealError.check(peal_protocol_find(handle, protocolName, &owner))
        var method = peal_method(id: 0)
        try PealError.check(peal_method_find(owner, name, &method))
        try check(types, method, "method \(protocolName).\(name)")
        return ResolvedMethod(method: method, protocol: owner, policy: try MethodInfo(method).policy.cValue)
    }
}
