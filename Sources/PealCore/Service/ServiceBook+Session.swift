internal import CPealSupport
import PealCall

extension ServiceBook {
    /// Ends a session: has all instances clear their data, then removes those that do not persist.
    ///
    /// - Returns: The number of removed instances, and whether all of these have ended.
    func endSession() throws(Failure) -> (removed: Int, haveEnded: Bool) {
        guard Creation.thisThread != nil else { throw .outOfMemory }
        try Creation.refuseHere("a session is ended")
        try claimSession(for: .current)
        defer { releaseSession() }
        awaitCreations()
        let cleared = clearAll()
        let created = inReverseOrderOfCreation(all).filter { cleared[$0.instance.id] != nil }
        let leaving = created.filter { !$0.service.record.pointee.is_persistent && $0.service.detach($0.instance) }
        for left in leaving { left.service.notifyInstanceRemoval() }
        Instance.leave(leaving.map { $0.instance })
        return (leaving.count, leaving.allSatisfy { $0.instance.hasEnded })
    }

    /// Clears the data of all instances, including those that are created meanwhile: an instance that a service creates
    /// while it clears belongs to the session that ends. The number of rounds is limited, since services may create
    /// each other forever.
    private func clearAll() -> [UInt64: Instance] {
        var cleared: [UInt64: Instance] = [:]
        for _ in 0...all.count {
            let fresh = inReverseOrderOfCreation(all).filter { cleared[$0.instance.id] == nil }
            if fresh.isEmpty { break }
            for created in fresh {
                cleared[created.instance.id] = created.instance
                created.service.clearData(of: created.instance)
            }
        }
        return cleared
    }

    private func claimSession(for thread: LiveThread) throws(Failure) {
        try CreationMonitor.locked { () throws(Failure) in
            while let other = session, !other.isLost {
                guard other != thread else {
                    throw Failure(
                        .state, "this thread ends a session of the center already; a service cannot end it from within")
                }
                CreationMonitor.wait()
            }
            session = thread
        }
    }

    private func releaseSession() {
        CreationMonitor.locked {
            session = nil
            CreationMonitor.signal()
        }
    }

    /// Waits for the creations that run now.
    private func awaitCreations() {
        let running = Creation.all.filter { $0.service.record.pointee.center == center }
        _ = CreationMonitor.wait { running.allSatisfy { $0.isDone } }
    }

    private struct Created {
        let service: Service
        let instance: Instance
        let order: UInt64
    }

    private func inReverseOrderOfCreation(_ services: [Service]) -> [Created] {
        let created = services.compactMap { service in
            service.readState { state in
                state.instance.map { Created(service: service, instance: $0, order: state.order) }
            }
        }
        return created.ordered { .descending($0.order) }
    }

    /// Ends registrations, their instances first, in reverse order of creation.
    ///
    /// - Returns: True if the caller ended one of them.
    @discardableResult
    func end(_ services: [Service]) -> Bool {
        let closing = services.filter { $0.close() }
        let created = inReverseOrderOfCreation(closing)
        let leaving = created.filter { $0.service.detach($0.instance) }
        for left in leaving { left.service.notifyInstanceRemoval() }
        for service in closing { service.notifyUnregistered() }
        Instance.leave(leaving.map { $0.instance })
        for service in services { service.endLostCreation() }
        for service in closing { service.release() }
        return !closing.isEmpty
    }

    /// Called when the center ends.
    func end() {
        close()
        end(all)
        // Wakes threads that wait for a service to be registered.
        CreationMonitor.signal()
    }
}

extension Creation {
    /// Fails inside a creation, for operations that would wait for one.
    static func refuseHere(_ what: String) throws(Failure) {
        guard let creation = here else { return }
        throw Failure(.state, "this thread is creating service \(creation.service.name); \(what) when that is done")
    }
}

extension Center {
    /// Ends a session: see `ServiceBook.endSession`.
    public func endSession() throws(Failure) -> (removed: Int, haveEnded: Bool) {
        try services.endSession()
    }

    /// Returns all services, peal's own included, in order of registration.
    public func listServices() throws(Failure) -> [Service] {
        try services.makeBuiltIns()
        return services.all
    }
}
