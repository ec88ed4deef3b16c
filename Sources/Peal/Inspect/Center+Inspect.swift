public import CPeal

extension Center {
    /// Counts the observers of a protocol, including blocked ones and those of protocols that adopt it.
    ///
    /// - Parameter type: The protocol. It is defined, if it is not yet.
    /// - Returns: The present number of registrations.
    /// - Throws: ``Status/conflict`` where the center knows the protocol otherwise; ``Status/handle`` when the center
    ///   has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_protocol_count_observers`.
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
    /// Thread rule: any thread. The C interface's `peal_protocol_list_observations`.
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
    /// Thread rule: any thread. The C interface's `peal_protocol_list_methods`.
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
    /// Counts the observers of the method, including blocked ones.
    ///
    /// - Returns: The present number of registrations.
    /// - Throws: ``Status/handle`` when the method has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_method_count_observers`.
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
    /// Thread rule: any thread. The C interface's `peal_method_list_observations`.
    public func observations() throws(PealError) -> [ObservationInfo] {
        let method = handle
        return ObservationInfo.of(
            try CStrings.handles(peal_observation()) { Status(peal_method_list_observations(method, $0, $1, $2)) })
    }
}

/// The information of a center about a method.
public struct MethodInfo: Sendable {
    /// The method in the C interface.
    public let handle: peal_method
    /// The name: `on_message`.
    public let name: String
    /// The declaration as C, with its requirement and options: `required bool keep(const char *line), first_true`.
    public let declaration: String
    /// The rule that makes one result of the observers' results.
    public let policy: Policy
    let hasResult: Bool
    /// True if an observer without it is refused.
    let isRequired: Bool

    /// Reads the information.
    ///
    /// - Parameter handle: The method in the C interface: for example that of a ``BoundMethod``.
    /// - Throws: ``Status/handle`` when the method has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_method_name`, `peal_method_declaration` and
    /// `peal_method_get_info`.
    public init(_ handle: peal_method) throws(PealError) {
        self.handle = handle
        name = try CStrings.copied { Status(peal_method_name(handle, $0, $1, $2)) }
        declaration = try CStrings.copied { Status(peal_method_declaration(handle, $0, $1, $2)) }
        var info = peal_method_info()
        info.size = MemoryLayout<peal_method_info>.size
        try PealError.check(peal_method_get_info(handle, &info))
        hasResult = !info.is_oneway
        isRequired = !info.is_optional
        policy = try Policy(info, of: handle)
    }
}

/// The state of a registration at the time of the read. `struct peal_observation_info` in C.
public struct ObservationInfo: Sendable {
    /// The observation in the C interface.
    public let handle: peal_observation
    /// The priority: observers with a higher one are called earlier.
    public let priority: Int32
    /// True if it ends just before its first call runs.
    public let isOnce: Bool
    /// True if it is skipped at present.
    public let isBlocked: Bool
    /// True if it only watches: ``ObserverOption/passive``.
    public let isPassive: Bool
    /// True if it includes methods that its protocol gets later: ``Center/observeMethods(of:includingLater:_:body:)``.
    public let includesLaterMethods: Bool
    /// True if its target is weak.
    public let isWeak: Bool
    /// True if its weak target has died: the observation ends with the next call.
    public let isDead: Bool
    /// Where its calls are delivered; zero for the broadcasting thread.
    public let queue: peal_queue
    /// The owner; zero for none.
    public let owner: peal_owner
    /// The text by which people recognise the observer, cut to 63 bytes; nil for none.
    public let label: String?

    /// Reads the state.
    ///
    /// - Parameter handle: The observation in the C interface.
    /// - Throws: ``Status/handle`` when it has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_get_info`.
    public init(_ handle: peal_observation) throws(PealError) {
        var info = peal_observation_info()
        info.size = MemoryLayout<peal_observation_info>.size
        try PealError.check(peal_observation_get_info(handle, &info))
        self.handle = handle
        priority = info.priority
        isOnce = info.flags & UInt32(PEAL_OBSERVE_ONCE.rawValue) != 0
        isBlocked = info.flags & UInt32(PEAL_OBSERVE_BLOCKED.rawValue) != 0
        isPassive = info.flags & UInt32(PEAL_OBSERVE_PASSIVE.rawValue) != 0
        includesLaterMethods = info.flags & UInt32(PEAL_OBSERVE_LATER_METHODS.rawValue) != 0
        isWeak = info.is_weak
        isDead = info.is_dead
        queue = info.queue
        owner = info.owner
        label = .unlessEmpty(pealArray: info.label)
    }

    /// Reads the state of each observation, and omits the observations that have ended.
    static func of(_ handles: [peal_observation]) -> [ObservationInfo] {
        handles.compactMap { try? ObservationInfo($0) }
    }
}

extension ObserverToken {
    /// Reads the state of the observation.
    ///
    /// - Returns: The priority, the queue and the other members, as they are now.
    /// - Throws: ``Status/handle`` when the observation has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_get_info`.
    public func info() throws(PealError) -> ObservationInfo { try ObservationInfo(handle) }
}
