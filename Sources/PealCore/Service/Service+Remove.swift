internal import CPealSupport

extension Service {
    /// Removes the instance; the next use creates another.
    ///
    /// - Returns: True if the instance has ended. Uses and scopes delay its end.
    public func remove() throws(Failure) -> Bool {
        try refuseIfBuiltIn("removed")
        try Creation.refuseHere("remove \(name)")
        guard let instance = try detachCreated() else { return true }
        notifyInstanceRemoval()
        instance.leave()
        return instance.hasEnded
    }

    /// Ends the registration of a service.
    ///
    /// - Returns: True if its functions are not called any more.
    @_optimize(speed)
    public static func unregister(_ id: UInt64) throws(Failure) -> Bool {
        // The lock keeps the service until it is closed. From then on the count of its registration keeps it, which only
        // the thread that has closed it releases.
        let (service, content) = try ServiceNames.locked { () throws(Failure) in
            guard let service = ServiceNames.registered(id) else { throw .staleService }
            return (service, try service.with { (service) throws(Failure) in try service.closeRegistered() })
        }
        return service.with { $0.leave(content) }
    }

    /// The instance and the followers of a service at the end of its registration.
    private struct Content {
        let instance: Instance?
        let followers: [any ServiceFollower]
    }

    /// The caller must hold the lock of services.
    private func closeRegistered() throws(Failure) -> Content {
        try refuseIfBuiltIn("unregistered")
        return try withLockedState { (state) throws(Failure) in
            _ = close(&state)
            let followers = state.followers == nil ? [] : Self.values(of: state.followers.take())
            return Content(instance: state.instance.take(), followers: followers)
        }
    }

    /// Ends the instance of a closed service, and releases the registration.
    private func leave(_ content: Content) -> Bool {
        Handles.services.retire(id)
        if content.instance != nil { notifyInstanceRemoval(content.followers) }
        notifyUnregistered(content.followers)
        endLostCreation()
        // Either call may free the service, so nothing may touch `self` after it. The operator `??` would retain it.
        guard let instance = content.instance else { return release() }
        return instance.leaveWithRegistration()
    }

    /// Releases what a creation has whose thread a fork has left in the parent. The service must be closed. Call with no
    /// lock held.
    func endLostCreation() {
        let lost = readState { state in state.creation?.isLost ?? false ? state.creation.take() : nil }
        guard let lost else { return }
        let (made, uses) = lost.withState { ($0.made, $0.uses) }
        made?.discard()
        for use in uses.reversed() { use.end() }
        release()
    }

    /// Returns an array, because the thread sanitizer does not see the counts of a dictionary that a thread reads while
    /// another thread changes its own copy.
    private static func values(of followers: Followers?) -> [any ServiceFollower] {
        followers.map { Array($0.values) } ?? []
    }

    /// Makes the instance clear the data of its session.
    public func clearData() throws(Failure) {
        try Creation.refuseHere("have \(name) clear its data")
        let instance = try awaitingCreation { $0.instance }
        if let instance { clearData(of: instance) }
    }

    func clearData(of instance: Instance) {
        guard let clear = record.pointee.clear_data, let use = try? instance.use() else { return }
        running { clear(use.target) }
        use.end()
    }

    private func refuseIfBuiltIn(_ what: String) throws(Failure) {
        guard record.pointee.is_built_in else { return }
        throw Failure(.state, "\(name) is one of peal's own services, which are never \(what)")
    }

    private func detachCreated() throws(Failure) -> Instance? {
        try awaitingCreation { state in
            let instance = state.instance
            self.publish(nil, in: &state)
            return instance
        }
    }

    /// Runs `body` when no creation runs.
    private func awaitingCreation(
        _ body: (inout State) -> Instance?
    ) throws(Failure) -> Instance? {
        try CreationMonitor.locked { () throws(Failure) in
            while let creation = readState({ $0.creation }), !creation.isLost {
                while !creation.isDone { CreationMonitor.wait() }
            }
            return try withState { (state) throws(Failure) in
                guard !state.isEnded else { throw .staleService }
                return body(&state)
            }
        }
    }

    /// Removes the instance from the service, if it is still the service's.
    func detach(_ instance: Instance) -> Bool {
        readState { state in
            guard state.instance?.id == instance.id else { return false }
            self.publish(nil, in: &state)
            return true
        }
    }

    /// Ends the registration. Only one of the threads that try succeeds.
    func close() -> Bool {
        let isClosed = readState { state in self.close(&state) }
        if isClosed { Handles.services.retire(id) }
        return isClosed
    }

    /// Notifies followers before a removed instance loses its publication.
    func notifyInstanceRemoval() {
        notifyInstanceRemoval(readState { Self.values(of: $0.followers) })
    }

    private func notifyInstanceRemoval(_ followers: [any ServiceFollower]) {
        for follower in followers { follower.instanceWillEnd(self) }
        ServiceEvents.removed(self)
    }

    /// Notifies followers once, and releases them.
    func notifyUnregistered() {
        notifyUnregistered(readState { Self.values(of: $0.followers.take()) })
    }

    private func notifyUnregistered(_ followers: [any ServiceFollower]) {
        for follower in followers { follower.serviceDidEnd(self) }
        ServiceEvents.unregistered(self)
    }
}

extension Failure {
    public static let staleService = Failure(
        .handle,
        "the service's handle is invalid: zero, never created, or already unregistered; keep the handle that registering filled"
    )
    // Not inlined: an operation that succeeds builds no text.
    static var endedCenter: Failure {
        @inline(never) get { Failure(.handle, "the center has been ended") }
    }
    public static let staleCenter = Failure(
        .handle, "the center's handle is invalid: zero, never created, or of a center that has ended")
}
