internal import CPealSupport

extension LazyObserver {
    /// Adds the service's instance to the lists, and creates it first if there is none. The caller must hold no lock.
    /// Does nothing if the instance already observes, or if this thread is creating it.
    ///
    /// - Throws: The reason why there is no instance.
    func fill(_ placeholder: Observation) throws(Failure) {
        while let instanceGeneration = generationIfEmpty, !service.isCreatingHere {
            let use = try service.use(by: "observer of \(placeholder.proto.name)")
            do throws(Failure) {
                let isInstalled = try placeholder.proto.center.withState { (state) throws(Failure) in
                    try state.install(use, at: placeholder, of: self, instanceGeneration: instanceGeneration)
                }
                if isInstalled {
                    Reclaimer.collectBacklog()
                    releaseFinished()
                    return
                }
            } catch {
                use.end()
                throw error
            }
            // Another thread was faster, or the instance was removed.
            use.end()
        }
    }
}

extension CenterState {
    /// Adds an instance to the lists, after its placeholder.
    ///
    /// - Returns: False if the instance is not wanted (see `LazyObserver.install`).
    fileprivate func install(
        _ use: ServiceUse, at placeholder: Observation, of lazy: LazyObserver, instanceGeneration: Int
    ) throws(Failure) -> Bool {
        var registration = Registration(proto: placeholder.proto, target: use.target, functions: .service)
        registration.priority = placeholder.record.pointee.priority
        if placeholder.record.isPassive { registration.options.insert(.passive) }
        registration.queue = placeholder.queue
        if peal_gate_load(placeholder.gate) & ObserverGate.once != 0 { registration.options.insert(.once) }
        let tables = placeholder.record.tables
        let record = try Observer.make(&registration, Borrowed(tables))
        record.install(at: placeholder.record, use)
        let instance = Observation(record)
        do throws(Failure) {
            let changes = try prepare(record, tables)
            if lazy.install(instance, at: placeholder, instanceGeneration: instanceGeneration, changes) { return true }
            changes.cancel()
        } catch {
            ObserverLife.releaseMemory(record)
            throw error
        }
        ObserverLife.releaseMemory(record)
        return false
    }
}

extension Observer {
    fileprivate func install(at placeholder: Observer, _ use: ServiceUse) {
        pointee.id = placeholder.pointee.id
        pointee.order = placeholder.pointee.order
        rareExtras?.pointee.lazy = placeholder
        rareExtras?.pointee.use = use.id
    }
}
