internal import CPealSupport

/// The facts that the interface's lists and reports of objects read. A list of a center copies handles under its lock.
extension Center {
    /// The handles of its protocols, without the hidden ones of properties.
    public func listProtocols() throws(Failure) -> [UInt64] {
        try withState { (state) throws(Failure) in state.protocolsByName.values.map { $0.id } }
    }

    public func listProperties() throws(Failure) -> [UInt64] {
        try withState { (state) throws(Failure) in state.properties.values.map { $0.id } }
    }
}

extension Center {
    public var listedModuleCount: Int { moduleCount }
}

extension Method {
    public var originId: UInt64 { origin.id }

    public var declaredPolicy: BroadcastPolicy { BroadcastPolicy(declaration.policy) }

    /// The parameter that a result becomes in a chain; nil if none has its type.
    public var chainedParameter: Int? { MethodTraits.chainedParameter(of: declaration) }
}

extension Owner {
    /// The number of the owner's objects other than observers.
    public var objectCount: Int { objects.count }
}

extension Queue {
    /// The options that never change.
    public struct Settings: Sendable {
        public let kind: Kind
        public let overflow: UInt32
        public let capacity: Int
        /// The handle; 0: none.
        public let owner: UInt64
    }

    public var settings: Settings {
        Settings(
            kind: kind, overflow: UInt32(peal_mailbox_overflow(mailbox)), capacity: mailbox.locked { mailbox.capacity },
            owner: owner?.id ?? 0)
    }
}

extension Timer {
    /// The handles of its queue and its owner; 0: none, or a queue of its own.
    public var queueId: UInt64 {
        defer { extendLifetime(self) }
        return record.queue?.id ?? 0
    }
    public var ownerId: UInt64 {
        defer { extendLifetime(self) }
        return observer.owner?.id ?? 0
    }
}

extension PealProtocol {
    /// The handles of the protocols that it adopts directly, in the order of its definition.
    public var adoptedProtocols: [UInt64] { adopted.map { $0.id } }

    public var isBuiltIn: Bool { BuiltInProtocols.methods(of: name) != nil }
}

extension Property {
    /// The size of a value. For a text it is the size of the pointer.
    public var valueSize: Int { type.size }

    public var hasIgnoreEqual: Bool { ignoresEqual }

    public func countObservers() throws(Failure) -> Int { try proto.countObservers() }
}

extension Proxy {
    /// The handle of the protocol that the proxy's calls broadcast; 0: none.
    public var broadcastProtocol: UInt64 { if case .proto(let proto) = broadcasts { proto.id } else { 0 } }

    /// The handle of the method that the proxy's calls broadcast; 0: none.
    public var broadcastMethod: UInt64 { if case .method(let method) = broadcasts { method.id } else { 0 } }

    public var ownerId: UInt64 { owner?.id ?? 0 }
}

extension HandleTable {
    /// The handles of all objects that have not ended.
    public var ids: [UInt64] { slots.ids }
}

extension HandleSlots {
    /// Each slot is pinned for its id, and released at once.
    var ids: [UInt64] {
        (0..<peal_slots_end(slots)).compactMap { index in
            var id: UInt64 = 0
            let slot = peal_slot_pin_at(slots, index, &id)
            return unpinned(slot, id) != nil && has(id) ? id : nil
        }
    }
}
