internal import CPealSupport
import PealCall

extension Property {
    /// A registration for the property's protocol, which the caller completes.
    public func registration(
        target: UnsafeMutableRawPointer?, table: UnsafeRawPointer
    ) throws(Failure) -> Registration {
        let words = 1 + NotificationKind.allCases.count
        let size = table.load(as: Int.self)
        guard size == words * MemoryLayout<Int>.size else {
            throw Failure(
                .conformance,
                "the size member of the observer of property \(name) is \(size); set it to the size of the struct, \(words * MemoryLayout<Int>.size)"
            )
        }
        let functions = UnsafeBufferPointer(start: table.assumingMemoryBound(to: UInt.self), count: words).dropFirst()
        let kinds = NotificationKind.allCases.filter { functions[functions.startIndex + Int($0.rawValue)] != 0 }
        guard !kinds.isEmpty else {
            throw Failure(
                .conformance,
                "the observer of property \(name) has no function; give it one of changed, changed_values, prior and recorded"
            )
        }
        try makeMethods(kinds)
        return Registration(proto: proto, target: target, functions: .table(table))
    }

    func hasMethod(_ kind: NotificationKind) -> Bool { peal_property_has_method(element, kind.rawValue) }

    private func makeMethods(_ kinds: [NotificationKind]) throws(Failure) {
        guard !kinds.allSatisfy(hasMethod) else { return }
        try center.keepInState { (state) throws(Failure) in
            guard state.properties[name] === self else { throw .staleProperty }
            for kind in kinds { try state.makeMethod(kind, of: self) }
        }
    }

    /// Registers an observer, and notifies it of the current value.
    ///
    /// If this fails, the caller must run the destroy callback.
    /// - Returns: The id of the observation, and the result of the notification.
    public func observeFromNow(_ registration: inout Registration) throws(Failure) -> (id: UInt64, outcome: SetOutcome)
    {
        guard let thread = peal_thread_current(), let node = peal_change_make(0, max(type.size, 256)) else {
            throw .outOfMemory
        }
        let isBlocked = registration.options.contains(.blocked)
        registration.options.insert(.blocked)
        let observation: UInt64
        do throws(Failure) {
            observation = try registration.register()
        } catch {
            peal_change_free(node)
            throw error
        }
        if isBlocked { try? ObserverBlocks.block(observation) }
        node.pointee.property = id
        node.pointee.observation = observation
        return (observation, notifyInitially(node, thread))
    }

    /// - Returns: Deferred if another thread makes the notification, or the end of a batch.
    private func notifyInitially(_ node: PropertyChange, _ thread: UnsafeMutablePointer<peal_thread>) -> SetOutcome {
        peal_property_lock(element)
        guard peal_property_is_of(element, id) else {
            peal_property_unlock(element)
            peal_change_free(node)
            return SetOutcome(isSet: true, isDeferred: false, isRejected: false)
        }
        let notification = PropertyNotification(element: element, id: id)
        guard peal_property_is_notified_by(element, thread) else {
            peal_property_append(element, node)
            guard !peal_property_is_notifying(element), !peal_property_is_batched(element) else {
                peal_property_unlock(element)
                return SetOutcome(isSet: true, isDeferred: true, isRejected: false)
            }
            peal_property_begin_notifying(element, thread)
            return SetOutcome(isSet: true, isDeferred: false, isRejected: notification.drain())
        }
        // This thread is inside a notification of the property. The initial notification is made here, between the
        // current notification and the waiting changes.
        notification.prepareInitial(node)
        peal_property_unlock(element)
        let isRejected = PropertyInitial.notify(node)
        peal_change_free(node)
        return SetOutcome(isSet: true, isDeferred: false, isRejected: isRejected)
    }
}
