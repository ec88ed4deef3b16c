internal import CPealSupport

extension LazyObserver {
    /// Has the service's instance observe, which is created for that where there is none. Call with no lock
    /// held. Does nothing where the instance observes already, or is being created by this very thread.
    ///
    /// - Throws: Why there is no instance.
    func fill(_ place: Observation) throws(Failure) {
        while let departures = departuresIfEmpty, !service.isCreatingHere {
            let use = try service.use(by: "observer of \(place.proto.name)")
            do throws(Failure) {
                let isSeated = try place.proto.center.withState { (state) throws(Failure) in
                    try state.seat(use, at: place, of: self, departures: departures)
                }
                if isSeated {
                    Reclaimer.collectBacklog()
                    forgetFinished()
                    return
                }
            } catch {
                use.end()
                throw error
            }
            // Another thread was faster, or the instance has left.
            use.end()
        }
    }
}

extension CenterState {
    /// Lists an instance behind its place.
    ///
    /// - Returns: False when the instance is not wanted (see `LazyObserver.seat`).
    fileprivate func seat(
        _ use: ServiceUse, at place: Observation, of lazy: LazyObserver, departures: Int
    ) throws(Failure) -> Bool {
        var registration = Registration(proto: place.proto, target: use.target, functions: .service)
        registration.priority = place.record.pointee.priority
        registration.queue = place.queue
        registration.isOnce = peal_gate_load(place.gate) & ObserverGate.once != 0
        let memory = try ObserverMemory(registration, functions: lazy.functions, in: self)
        memory.sit(at: place.record, use)
        let instance = Observation(
            number: place.number, proto: place.proto, key: place.key, methods: place.methods, queue: place.queue,
            owner: nil, record: memory.record)
        do throws(Failure) {
            let changes = try prepare(
                place.methods.compactMap { method in
                    memory.entry(for: method, functions: lazy.functions).map { ListedEntry(method: method, entry: $0) }
                })
            if lazy.seat(instance, at: place, departures: departures, changes) { return true }
            for change in changes { change.cancel() }
        } catch {
            memory.free()
            throw error
        }
        memory.free()
        return false
    }
}

extension ObserverMemory {
    fileprivate func sit(at place: UnsafeMutablePointer<ObserverRecord>, _ use: ServiceUse) {
        record.pointee.number = place.pointee.number
        record.pointee.order = place.pointee.order
        record.pointee.lazy = place
        record.pointee.use = use.number
    }
}
