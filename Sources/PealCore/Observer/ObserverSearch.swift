internal import CPealSupport

/// Searches for observers, for callers that have stored no handle, and for reports.
extension PealProtocol {
    /// The observers that conform to the protocol, those of adopting protocols included, in call order. Observers with
    /// dead targets are left out.
    public func observations() throws(Failure) -> [Observation] {
        try Observation.living(in: center) { state in state.observers(conformingTo: self) }
    }

    /// Ends the registrations for this protocol itself: those of a target, or all.
    ///
    /// - Returns: The number of ended registrations.
    public func unobserve(_ choice: Choice) throws(Failure) -> Int {
        let chosen = try center.withState { (state) throws(Failure) in
            var chosen: [(order: UInt64, id: UInt64)] = []
            func choose(_ record: Observer) { chosen.append((record.pointee.order, record.pointee.id)) }
            switch choice {
            case .all: for record in registeredObservers.all { choose(record) }
            case .target(let target?):
                registeredObservers.targeted.forEach(ObserverKey.hash(ofTarget: target)) { record in
                    if UnsafeRawPointer(record.pointee.target) == target { choose(record) }
                }
            case .target(nil):
                for record in registeredObservers.untargeted.all { choose(record) }
            }
            return chosen
        }
        // In the order of registration. A registration that another thread ends first is not counted.
        return chosen.ordered { SortKey($0.order) }.count { (try? Observation.remove($0.id)) != nil }
    }

    public enum Choice {
        case all
        case target(UnsafeRawPointer?)
    }
}

extension Method {
    /// The observers that a broadcast reaches, in call order. Those with dead targets are left out.
    public func observations() throws(Failure) -> [Observation] {
        try Observation.living(in: owner.center) { _ in self.listedRecords }
    }
}

extension Observation {
    /// The observers among those that `find` returns under the center's lock whose targets are not dead, in call order.
    fileprivate static func living(
        in center: Center, _ find: (CenterState) -> [Observer]
    ) throws(Failure) -> [Observation] {
        let (found, probe) = try center.withState { (state) throws(Failure) in
            let records = find(state)
            return (records.ordered { $0.callOrder }.map { Observation($0) }, WeakProbe(records))
        }
        let dead = probe.findDead()
        return dead.isEmpty ? found : found.filter { !dead.contains($0.id) }
    }

    /// The properties of a registration.
    public struct Facts {
        public let proto: UInt64
        /// Nil if the target is weak and dead.
        public let target: UnsafeMutableRawPointer?
        public let queue: UInt64
        public let owner: UInt64
        public let priority: Int32
        public let isOnce: Bool
        public let isBlocked: Bool
        public let isPassive: Bool
        public let includesLater: Bool
        public let isWeak: Bool
        public let isDead: Bool
        /// The handler, or the function for the first method. Nil without one.
        public let function: UnsafeRawPointer?
    }

    /// Call with no lock held: the hooks of a weak target run.
    public var facts: Facts {
        let isDead = record.isWeak && !isAlive
        let value = peal_gate_load(gate)
        // The record belongs to this object.
        defer { extendLifetime(self) }
        return Facts(
            proto: proto.id, target: isDead ? nil : record.pointee.target, queue: queue?.id ?? 0,
            owner: owner?.id ?? 0, priority: record.pointee.priority,
            isOnce: value & ObserverGate.once != 0, isBlocked: value & ObserverGate.blocks != 0,
            isPassive: record.isPassive, includesLater: record.tables.later != nil, isWeak: record.isWeak,
            isDead: isDead, function: function)
    }

    private var function: UnsafeRawPointer? {
        if let handler = record.handler { return unsafeBitCast(handler.pointee.function, to: UnsafeRawPointer.self) }
        return record.tables.listings.first?.function
    }

    /// Returns true if a registration is in force, and its target is alive if that is weak. Call with no lock held.
    public static func isActive(_ id: UInt64) -> Bool {
        guard let isWeak = Handles.observations.withPinned(id, { $0.isWeak }) else { return false }
        return !isWeak || Handles.observations.find(id)?.isAlive ?? false
    }

    /// Returns true if a weak target is alive and registered.
    private var isAlive: Bool {
        let probe = try? proto.center.withState { (_) throws(Failure) in
            ObserverGate.isEnding(self.gate) ? nil : WeakProbe([self.record])
        }
        return (probe ?? nil)?.findDead().isEmpty ?? false
    }
}

extension CenterState {
    /// The number of observers that conform to a protocol, and a probe of their targets.
    func conformers(of proto: PealProtocol) -> (count: Int, probe: WeakProbe) {
        let weak = self[proto].weakConformerCount > 0 ? observers(conformingTo: proto) : []
        return (Int(self[proto].conformerCount), WeakProbe(weak))
    }

    /// The observers that conform to a protocol, in no order.
    fileprivate func observers(conformingTo proto: PealProtocol) -> [Observer] {
        if self[proto].adopters.isEmpty { return proto.registeredObservers.all }
        return subprotocols(of: proto).flatMap { $0.registeredObservers.all }
    }
}
