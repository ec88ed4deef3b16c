internal import CPeal

extension Center {
    /// How many observers a protocol has, blocked ones included, and those of protocols that adopt it.
    ///
    /// `peal_protocol_count_observers` in C. Defines the protocol, if it is not defined.
    public func observerCount(of type: any PealProtocol.Type) throws(PealError) -> Int {
        let found = try findOrDefine(type)
        var count = 0
        try PealError.check(peal_protocol_count_observers(found, &count))
        return count
    }

    /// The registrations for a protocol, in the order of their calls.
    ///
    /// `peal_protocol_list_observations` in C. Slow: for tools and tests.
    public func observations(of type: any PealProtocol.Type) throws(PealError) -> [ObservationInfo] {
        let found = try findOrDefine(type)
        return ObservationInfo.of(
            try CStrings.handles(peal_observation()) { Status(peal_protocol_list_observations(found, $0, $1, $2)) })
    }

    /// The methods of a protocol: those of the adopted ones first, then its own in order.
    ///
    /// `peal_protocol_list_methods` in C.
    ///
    /// - Parameter protocolName: A protocol that is defined, in whatever language.
    /// - Throws: ``Status/notFound``.
    public func methods(of protocolName: String) throws(PealError) -> [MethodInfo] {
        var found = peal_protocol(number: 0)
        try PealError.check(peal_protocol_find(handle, protocolName, &found))
        let methods = try CStrings.handles(peal_method()) { Status(peal_protocol_list_methods(found, $0, $1, $2)) }
        var list: [MethodInfo] = []
        for method in methods { list.append(try MethodInfo(method)) }
        return list
    }
}

extension BoundMethod {
    /// How many observers are listed under the method, blocked ones included: `peal_method_count_observers`.
    ///
    /// - Throws: ``Status/handle`` when the method is gone.
    public func observerCount() throws(PealError) -> Int {
        var count = 0
        try PealError.check(peal_method_count_observers(handle, &count))
        return count
    }

    /// The registrations that a broadcast reaches, in the order of the calls: `peal_method_list_observations`.
    ///
    /// Slow: for tools and tests.
    public func observations() throws(PealError) -> [ObservationInfo] {
        let method = handle
        return ObservationInfo.of(
            try CStrings.handles(peal_observation()) { Status(peal_method_list_observations(method, $0, $1, $2)) })
    }
}
