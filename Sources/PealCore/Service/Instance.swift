internal import CPealSupport

/// The object that a service made. It exists while it is the service's current instance, while a hazard slot protects
/// it, or while it has uses.
final class Instance: Sendable {
    let id: UInt64
    let service: Service
    /// Never unmapped; its contents are this instance's until it has ended.
    nonisolated(unsafe) let element: UnsafeMutablePointer<peal_instance_element>
    /// Released when the instance has ended.
    let dependencies: [ServiceUse]
    let createdBy: String
    let createdAt: UInt64
    /// True if scopes find the instance without a lock. Written under the lock of the service's state, while it is the
    /// service's instance.
    nonisolated(unsafe) var isShown = false

    private init(
        id: UInt64, element: UnsafeMutablePointer<peal_instance_element>, service: Service, dependencies: [ServiceUse],
        createdBy: String, createdAt: UInt64
    ) {
        self.id = id
        self.element = element
        self.service = service
        self.dependencies = dependencies
        self.createdBy = createdBy
        self.createdAt = createdAt
    }

    /// Makes an instance with an element and an id. It has no target yet.
    static func make(
        of service: Service, dependencies: [ServiceUse] = [], by requester: String, at time: UInt64
    ) throws(Failure) -> Instance {
        let made = try Handles.instances.insert { (id) throws(Failure) in
            guard let element = peal_instance_element_of(id) else { throw .outOfMemory }
            return Instance(
                id: id, element: element, service: service, dependencies: dependencies, createdBy: requester,
                createdAt: time)
        }
        service.keep()
        peal_instance_open(made.element, made.id, service.record)
        return made
    }

    var target: UnsafeMutableRawPointer? {
        get { element.pointee.`self` }
        set { peal_instance_set_self(element, newValue) }
    }

    /// Adds a use. Returns nil if the instance has ended.
    func use() throws(Failure) -> ServiceUse? {
        switch peal_instance_retain(element, id) {
        case PEAL_RETAINED: return ServiceUse(id: id, target: element.pointee.`self`.unsafelyUnwrapped)
        case PEAL_RETAINED_TOO_OFTEN: throw .tooManyUses
        default: return nil
        }
    }

    /// Removes an instance that was never published.
    func discard() {
        Handles.instances.remove(id)
        service.release()
    }

    /// Marks removed instances, and ends those without scopes and uses, in order. Call with no lock held. The others
    /// end with their last scope or use.
    static func leave(_ leaving: some Collection<Instance>) {
        for instance in leaving { peal_instance_leave(instance.element) }
        // Scopes that begin on the slow path pass a fence of their own.
        if leaving.contains(where: { $0.isShown }) { peal_thread_writer_fence() }
        var kept: [Reclaimer.Retired] = []
        for instance in leaving {
            if peal_thread_any_protects(instance.hazard) {
                kept.append(.instance(instance.id))
            } else {
                instance.dropBase()
            }
        }
        guard !kept.isEmpty else { return }
        Reclaimer.retire(kept)
        Reclaimer.collect()
    }

    /// Marks one removed instance, and ends it if it has no scopes and uses.
    static func leave(_ instance: Instance) { instance.leave() }

    private func leave() {
        peal_instance_leave(element)
        if isShown { peal_thread_writer_fence() }
        guard peal_thread_any_protects(hazard) else { return dropBase() }
        Reclaimer.retire(.instance(id))
        Reclaimer.collect()
    }

    /// The address by which a hazard slot protects it.
    private var hazard: UnsafePointer<peal_snapshot> { Self.hazard(of: element) }

    private static func hazard(of element: UnsafePointer<peal_instance_element>) -> UnsafePointer<peal_snapshot> {
        UnsafeRawPointer(element).assumingMemoryBound(to: peal_snapshot.self)
    }

    static func hazard(of id: UInt64) -> UnsafePointer<peal_snapshot>? {
        peal_instance_element_of(id).map { hazard(of: $0) }
    }

    func dropBase() {
        if peal_instance_unpublish(element) { end() }
    }

    /// Ends the instance, and the dependencies whose last use it had. A loop replaces the recursion, because there may
    /// be many.
    func end() {
        var others: [Instance] = []
        endAlone(&others)
        while let next = others.popLast() { next.endAlone(&others) }
    }

    /// Ends this instance alone, and appends the dependencies that must end too.
    private func endAlone(_ others: inout [Instance]) {
        peal_order_see_ended()
        if let destroy = service.record.pointee.destroy { service.running { destroy(target) } }
        for use in dependencies {
            guard let element = peal_instance_element_of(use.id),
                peal_instance_release(element, use.id) == PEAL_RELEASED_LAST,
                let last = Handles.instances.find(use.id)
            else { continue }
            others.append(last)
        }
        Handles.instances.remove(id)
        service.release()
    }

    /// Returns true if its destroy function has returned.
    var hasEnded: Bool { Handles.instances.find(id) == nil }
}
