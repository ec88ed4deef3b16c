internal import CPealSupport

extension Service {
    /// Creates the instance, with no lock held, and wakes the waiting threads.
    func create(_ creation: Creation) throws(Failure) -> ServiceUse {
        do throws(Failure) {
            let (instance, use) = try make(creation)
            finish(creation, nil)
            ServiceEvents.created(self, by: instance.createdBy)
            return use
        } catch {
            finish(creation, error)
            ServiceEvents.failed(self, error.sentence)
            release()
            throw error
        }
    }

    private func finish(_ creation: Creation, _ failure: Failure?) {
        CreationMonitor.locked {
            readState { state in
                if state.creation === creation { state.creation = nil }
                guard let failure else { return }
                state.failures = Failures(count: (state.failures?.count ?? 0) + 1, last: failure.sentence)
            }
            creation.leave(failure)
            CreationMonitor.signal()
        }
        if failure == nil { release() }
    }

    private func make(_ creation: Creation) throws(Failure) -> (Instance, ServiceUse) {
        let uses = try useDependencies(creation)
        let instance: Instance
        keep()
        do throws(Failure) {
            instance = try Instance.make(
                of: self, dependencies: uses, by: creation.requester, at: creation.startedAt)
            creation.withState { $0.made = instance }
        } catch {
            release()
            for use in uses.reversed() { use.end() }
            throw error
        }
        do throws(Failure) {
            instance.target = try runCreate(creation)
        } catch {
            instance.discard()
            for use in uses.reversed() { use.end() }
            throw error
        }
        do throws(Failure) {
            creation.withState { $0.instance = instance }
            try runInitialize(creation, instance)
            return (instance, try publish(instance, of: creation))
        } catch {
            creation.withState { $0.instance = nil }
            instance.leave()
            throw error
        }
    }

    /// Adds a use of each dependency. If one fails, releases the uses that were added.
    private func useDependencies(_ creation: Creation) throws(Failure) -> [ServiceUse] {
        guard record.pointee.dependency_count > 0 else { return [] }
        var uses: [ServiceUse] = []
        do throws(Failure) {
            var name = record.pointee.dependencies
            for _ in 0..<record.pointee.dependency_count {
                let use = try Self.find(name, in: center).use(by: "service \(self.name)")
                uses.append(use)
                creation.withState { $0.uses.append(use) }
                name += peal_memory_text_size(name)
            }
            return uses
        } catch {
            for use in uses.reversed() { use.end() }
            throw error.kind == .cycle
                ? error : Failure(error.kind, "service \(name) has a dependency: \(error.sentence)")
        }
    }

    private func runCreate(_ creation: Creation) throws(Failure) -> UnsafeMutableRawPointer? {
        guard let create = record.pointee.create else { return record.pointee.context }
        var room = room
        let made = try runAsRequester { running { create(&room) } }
        guard let made else { throw failure("its create function returned NULL", &room, creation) }
        peal_order_publish()
        return made
    }

    private func runInitialize(_ creation: Creation, _ instance: Instance) throws(Failure) {
        guard let initialize = record.pointee.`init` else { return }
        var room = room
        let target = instance.target
        let isReady = try runAsRequester { running { initialize(target, &room) } }
        guard isReady else { throw failure("its init function returned false", &room, creation) }
        peal_order_publish()
    }

    private func runAsRequester<Result>(_ body: () -> Result) throws(Failure) -> Result {
        try CurrentRequester.run(as: "service \(name)") { () throws(Failure) in body() }
    }

    private var room: peal_creation {
        peal_creation_begin(center.id, record)
    }

    /// The failure that the service describes, or else its cause.
    private func failure(_ what: String, _ room: inout peal_creation, _ creation: Creation) -> Failure {
        let message = String(cString: peal_creation_message(&room))
        let code = room.code == 0 ? "" : " (code \(room.code))"
        let cause = creation.withState { $0.cause }
        if message.isEmpty, let cause, cause.kind == .cycle || cause.kind == .depth { return cause }
        let reason = !message.isEmpty ? message : cause?.sentence ?? what
        return Failure(.creation, "service \(name) could not be created: \(reason)\(code)")
    }

    /// Returns true if the instance is the context, and none of the service's functions makes it.
    var isReadyMade: Bool {
        record.pointee.create == nil && record.pointee.`init` == nil && record.pointee.dependency_count == 0
    }

    /// Creates the instance if it is ready made, so other threads have no creation to wait for. The caller must hold
    /// the lock of services, and the service must not have ended.
    ///
    /// - Returns: Nil if the instance is not ready made, or could not be made: a creation then reports why.
    func createReadyMade(by requester: String?, in state: inout State) -> ServiceUse? {
        guard isReadyMade, let target = record.pointee.context else { return nil }
        let made = try? Instance.make(
            of: self, by: requester ?? CurrentRequester.current, at: peal_clock_now(), target: target, uses: 1)
        guard let instance = made else { return nil }
        if state.hasSpareCount { state.hasSpareCount = false } else { keep() }
        state.creations += 1
        state.order = book.with { $0.nextOrder() }
        publish(instance, in: &state)
        return ServiceUse(id: instance.id, target: target)
    }

    private func publish(_ instance: Instance, of creation: Creation) throws(Failure) -> ServiceUse {
        guard let use = try instance.use() else { throw ended }
        let isPublished = CreationMonitor.locked {
            readState { state in
                guard !state.isEnded else { return false }
                state.creation = nil
                state.creations += 1
                state.order = book.with { $0.nextOrder() }
                state.creationTime = peal_clock_now() - creation.startedAt
                self.publish(instance, in: &state)
                return true
            }
        }
        guard isPublished else {
            use.end()
            throw ended
        }
        return use
    }
}
