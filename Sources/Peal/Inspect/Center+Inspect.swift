internal import CPeal

extension Center {
    /// How many observers a protocol has, blocked ones included, and those of protocols that adopt it.
    ///
    /// - Parameter type: The protocol. It is defined, if it is not yet.
    /// - Returns: How many registrations there are now.
    /// - Throws: ``Status/conflict`` where the center knows the protocol otherwise; ``Status/handle`` when the center
    ///   has ended.
    ///
    /// Any thread. The C interface's `peal_protocol_count_observers`.
    public func observerCount(of type: any PealProtocol.Type) throws(PealError) -> Int {
        let found = try findOrDefine(type)
        var count = 0
        try PealError.check(peal_protocol_count_observers(found, &count))
        return count
    }

    /// The registrations for a protocol, in the order of their calls. Slow: for tools and tests.
    ///
    /// - Parameter type: The protocol. It is defined, if it is not yet.
    /// - Returns: The registrations at this time.
    /// - Throws: As ``observerCount(of:)-(PealProtocol.Type)``.
    ///
    /// Any thread. The C interface's `peal_protocol_list_observations`.
    public func observations(of type: any PealProtocol.Type) throws(PealError) -> [ObservationInfo] {
        let found = try findOrDefine(type)
        return ObservationInfo.of(
            try CStrings.handles(peal_observation()) { Status(peal_protocol_list_observations(found, $0, $1, $2)) })
    }

    /// The methods of a protocol: those of the adopted ones first, then its own in order.
    ///
    /// - Parameter protocolName: A protocol that is defined, in whatever language.
    /// - Returns: The methods, each with its declaration in C.
    /// - Throws: ``Status/notFound``.
    ///
    /// Any thread. The C interface's `peal_protocol_list_methods`.
    public func methods(of protocolName: String) throws(PealError) -> [MethodInfo] {
        try CStrings.check(protocolName, is: "the protocol's name")
        var found = peal_protocol(id: 0)
        try PealError.check(peal_protocol_find(handle, protocolName, &found))
        let methods = try CStrings.handles(peal_method()) { Status(peal_protocol_list_methods(found, $0, $1, $2)) }
        var list: [MethodInfo] = []
        for method in methods { list.append(try MethodInfo(method)) }
        return list
    }
}

extension BoundMethod {
    /// How many observers are listed under the method, blocked ones included.
    ///
    /// - Returns: How many registrations there are now.
    /// - Throws: ``Status/handle`` when the method has ended.
    ///
    /// Any thread. The C interface's `peal_method_count_observers`.
    public func observerCount() throws(PealError) -> Int {
        var count = 0
        try PealError.check(peal_method_count_observers(handle, &count))
        return count
    }

    /// The registrations that a broadcast reaches, in the order of the calls. Slow: for tools and tests.
    ///
    /// - Returns: The registrations at this time.
    /// - Throws: ``Status/handle`` when the method has ended.
    ///
    /// Any thread. The C interface's `peal_method_list_observations`.
    public func observations() throws(PealError) -> [ObservationInfo] {
        let method = handle
        return ObservationInfo.of(
            try CStrings.handles(peal_observation()) { Status(peal_method_list_observations(method, $0, $1, $2)) })
    }
}
