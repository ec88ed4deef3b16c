internal import CPealSupport

/// The object that a service made. It exists while it is the service's current instance, while a hazard slot protects
/// it, or while it has uses.
///
/// All its members are in its element of the directory. This value names the instance and keeps nothing. Functions that
/// read members require that the instance exists. `use` and `hasEnded` also accept an instance that has ended.
struct Instance: @unchecked Sendable {
    // Unchecked: the element's members are atomic, or written before the instance is published.
    let id: UInt64
    /// Never unmapped; its contents are this instance's until it has ended.
    let element: UnsafeMutablePointer<peal_instance_element>

    /// - Returns: Nil for an id that no instance ever had.
    init?(_ id: UInt64) {
        guard let element = peal_instance_element_of(id) else { return nil }
        self.id = id
        self.element = element
    }

    /// Makes an instance with an element and an id. It has a count of the service, which the caller has added.
    ///
    /// - Parameter target: nil if it is not known yet.
    /// - Parameter uses: The uses that the caller has from the beginning.
    static func make(
        of service: Service, dependencies: [ServiceUse] = [], by requester: String?, at time: UInt64,
        target: UnsafeMutableRawPointer? = nil, uses: UInt32 = 0
    ) throws(Failure) -> Instance {
        var id: UInt64 = 0
        switch peal_slot_allocate(slots, &id) {
        case PEAL_SLOT_FULL:
            throw Failure(
                .limit,
                "there are too many instances of services in the process; release uses that are not needed")
        case PEAL_SLOT_NO_MEMORY: throw .outOfMemory
        default: break
        }
        guard let made = Instance(id), made.fill(dependencies, by: requester) else {
            peal_slot_free(slots, id)
            throw .outOfMemory
        }
        made.element.pointee.created_at = time
        peal_slot_publish(slots, id, made.element)
        peal_instance_open(made.element, id, service.record, target, uses)
        return made
    }

    private static var slots: UnsafeMutablePointer<peal_slots> { peal_slots_of(PEAL_SLOTS_INSTANCES) }

    /// Stores copies of the dependencies and of the requester's name, if there are any.
    ///
    /// - Returns: False if memory is refused.
    private func fill(_ dependencies: [ServiceUse], by requester: String?) -> Bool {
        element.pointee.dependencies = nil
        element.pointee.created_by = nil
        if !dependencies.isEmpty {
            guard let memory = peal_memory_allocate(dependencies.count * MemoryLayout<UInt64>.stride) else {
                return false
            }
            let ids = memory.assumingMemoryBound(to: UInt64.self)
            for (index, use) in dependencies.enumerated() { ids[index] = use.id }
            element.pointee.dependencies = ids
        }
        guard let requester else { return true }
        var bytes = Array(requester.utf8CString)
        guard let copy = peal_memory_allocate(bytes.count) else {
            freeMembers()
            return false
        }
        copy.copyMemory(from: &bytes, byteCount: bytes.count)
        element.pointee.created_by = copy.assumingMemoryBound(to: CChar.self)
        return true
    }

    private func freeMembers() {
        if let dependencies = element.pointee.dependencies { peal_memory_free(dependencies) }
        if let name = element.pointee.created_by { peal_memory_free(name) }
    }

    /// Makes the id stale. No thread pins the slot of an instance, and only the thread that ends the instance calls
    /// this.
    private func free() {
        freeMembers()
        peal_slot_end(Self.slots, id)
    }

    /// The service, which exists because the instance retains its functions.
    var service: Borrowed<Service> {
        Borrowed(at: element.pointee.record.unsafelyUnwrapped.pointee.service.unsafelyUnwrapped)
    }

    var createdBy: String {
        element.pointee.created_by.map { String(cString: $0) } ?? CurrentRequester.program
    }
    var createdAt: UInt64 { element.pointee.created_at }

    /// True if scopes find the instance without a lock. Written under the lock of services, while it is the
    /// service's instance.
    var isShown: Bool {
        get { element.pointee.is_shown }
        nonmutating set { element.pointee.is_shown = newValue }
    }

    var target: UnsafeMutableRawPointer? {
        get { element.pointee.`self` }
        nonmutating set { peal_instance_set_self(element, newValue) }
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
        let service = service
        free()
        service.with { _ = $0.release() }
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

    /// Ends one removed instance, if it has no scopes and uses. Otherwise it ends with the last of them. Call with no
    /// lock held.
    func leave() {
        if unpublish() { end() }
    }

    /// The same, and ends the registration of its service.
    ///
    /// - Returns: True if the service has ended.
    @_optimize(speed)
    func leaveWithRegistration() -> Bool {
        // The registration keeps it meanwhile.
        let service = service
        if unpublish() { return end(releasing: 2) }
        return service.with { $0.release() }
    }

    /// Ends the publication of a removed instance.
    ///
    /// - Returns: True if it has no scopes and uses: the caller must then end it.
    private func unpublish() -> Bool {
        let isUnused = !isShown && peal_instance_unpublish_unused(element, id)
        if !isUnused {
            peal_instance_leave(element)
            if isShown { peal_thread_writer_fence() }
        }
        guard peal_thread_any_protects(hazard) else { return isUnused || peal_instance_unpublish(element) }
        Reclaimer.retire(.instance(id))
        Reclaimer.collect()
        return false
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
    ///
    /// - Parameter counts: The counts of the service that are released: that of the instance, and the caller's.
    /// - Returns: True if these were the last.
    @discardableResult
    func end(releasing counts: UInt32 = 1) -> Bool {
        var others: [Instance] = []
        let wereLast = endAlone(&others, counts)
        while let next = others.popLast() { _ = next.endAlone(&others, 1) }
        return wereLast
    }

    /// Ends this instance alone, and appends the dependencies that must end too.
    private func endAlone(_ others: inout [Instance], _ counts: UInt32) -> Bool {
        peal_order_see_ended()
        let service = service
        let record = element.pointee.record.unsafelyUnwrapped
        if let destroy = record.pointee.destroy { service.with { service in service.running { destroy(target) } } }
        if let ids = element.pointee.dependencies {
            for index in 0..<Int(record.pointee.dependency_count) {
                guard let other = Instance(ids[index]),
                    peal_instance_release(other.element, other.id) == PEAL_RELEASED_LAST
                else { continue }
                others.append(other)
            }
        }
        free()
        return service.with { $0.release(counts) }
    }

    /// Returns true if its destroy function has returned.
    var hasEnded: Bool { !peal_slot_is_live(Self.slots, id) }
}
