internal import CPealSupport

extension Service {
    /// Adds a use of the instance. If there is no instance, creates it or waits for its creation.
    ///
    /// - Parameter requester: The requester, in words ("observer of Chat"); nil: the thread's current one.
    public func use(by requester: String? = nil) throws(Failure) -> ServiceUse {
        do throws(Failure) {
            while true {
                switch try step(requester) {
                case .added(let added): return announce(added)
                case .create(let creation): return try create(creation)
                case .await(let creation): try wait(for: creation)
                }
            }
        } catch {
            Creation.note(error)
            throw error
        }
    }

    /// Adds a use of a service by its name, if its instance exists or is ready made. So no code of the program runs
    /// under the lock of services, which keeps the service meanwhile.
    ///
    /// - Returns: Nil if there is no such service, or `use` is needed.
    @_optimize(speed)
    static func useReadyMade(_ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64) -> ServiceUse? {
        let found = ServiceNames.locked { () -> (service: Borrowed<Service>, added: Added)? in
            guard let service = ServiceNames.named(name, hash, in: center) else { return nil }
            // `use` reports a failure.
            return service.with { try? $0.addReadyMade() }.map { (service, $0) }
        }
        guard let found else { return nil }
        return found.service.with { $0.announce(found.added) }
    }

    private func addReadyMade() throws(Failure) -> Added? {
        guard isReadyMade else { return nil }
        return try withLockedState { (state) throws(Failure) in try add(for: nil, in: &state) }
    }

    /// Called with no lock held.
    private func announce(_ added: Added) -> ServiceUse {
        if added.isNew {
            ServiceEvents.created(self, added.use)
        } else {
            peal_order_see_published()
        }
        return added.use
    }

    /// Publishes an instance to scopes, so that further scopes need no lock. Called for the first scope of the
    /// instance, by a caller that has a use. Scopes without a lock report no order to a thread sanitizer.
    func publishToScopes(_ id: UInt64, _ shown: UnsafeMutablePointer<peal_instance_element>) {
        guard !peal_order_needs_reports(), !peal_service_is_published_to_scopes(element, shown),
            let instance = Instance(id)
        else {
            return
        }
        readState { show(instance, in: &$0) }
    }

    /// A use that was added.
    struct Added: Sendable {
        let use: ServiceUse
        /// True if the instance was made for it.
        let isNew: Bool
    }

    private enum Step: Sendable {
        case added(Added)
        case create(Creation)
        /// Another thread creates the instance.
        case await(Creation)
    }

    private func step(_ requester: String?) throws(Failure) -> Step {
        guard let thread = Creation.thisThread else { throw .outOfMemory }
        // A ready-made instance has no creation to wait for, so the lock of `CreationMonitor` is not needed.
        if isReadyMade, let added = try withState({ (state) throws(Failure) in try add(for: requester, in: &state) }) {
            return .added(added)
        }
        return try CreationMonitor.locked { () throws(Failure) -> Step in
            let (known, running) = try withState { (state) throws(Failure) in
                (try add(for: requester, in: &state), state.creation)
            }
            if let known { return .added(known) }
            if let running { return try prepareWait(for: running, on: thread) }
            return .create(try begin(on: thread, requester))
        }
    }

    /// Adds a use of the instance, which is created here if it is ready made. Returns nil if a creation is needed. The
    /// caller must hold the lock of services.
    private func add(for requester: String?, in state: inout State) throws(Failure) -> Added? {
        guard !state.isEnded else { throw ended }
        if let use = try state.instance?.use() { return Added(use: use, isNew: false) }
        guard state.creation == nil, let use = createReadyMade(by: requester, in: &state) else { return nil }
        return Added(use: use, isNew: true)
    }

    private func begin(on thread: UInt, _ requester: String?) throws(Failure) -> Creation {
        let outer = Creation.here
        guard (outer?.depth ?? 0) < Creation.deepest else {
            throw Failure(
                .depth,
                "service \(name): \(Creation.deepest) creations run inside each other on this thread; get some of them earlier"
            )
        }
        let creation = Creation(
            of: self, thread: thread, inside: outer, requester: requester ?? CurrentRequester.current)
        try withState { (state) throws(Failure) in
            // The service may have ended since the test, because the thread that ends it does not acquire the lock of
            // `CreationMonitor`.
            guard !state.isEnded else { throw self.ended }
            state.creation = creation
            keep()
        }
        creation.enter()
        return creation
    }

    private func prepareWait(for creation: Creation, on thread: UInt) throws(Failure) -> Step {
        if creation.thread == thread, let use = try creation.instance?.use() {
            return .added(Added(use: use, isNew: false))
        }
        let here = Creation.here
        here?.withState { $0.needs = self }
        if let cycle = Creation.cycle(from: self) {
            here?.withState { $0.needs = nil }
            throw Failure(
                .cycle,
                "circular dependency of services: \(cycle.map { $0.name }.joined(separator: " -> ")); remove one of these gets or dependencies"
            )
        }
        return .await(creation)
    }

    /// Waits for a creation on another thread.
    private func wait(for creation: Creation) throws(Failure) {
        WaitGraph.waiting(for: .creation(on: creation.thread)) { _ in
            _ = CreationMonitor.wait { creation.isDone }
        }
        Creation.here?.withState { $0.needs = nil }
        if let failure = creation.failure { throw failure }
    }

    /// Returns true if its creation (create or init) runs on this thread.
    var isCreatingHere: Bool {
        guard let thread = Creation.thisThread else { return false }
        return readState { state in state.creation.map { $0.thread == thread && !$0.isLost } ?? false }
    }

    var ended: Failure {
        Failure(.state, "service \(name) was unregistered")
    }
}
