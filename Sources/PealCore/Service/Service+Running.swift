internal import CPealSupport

extension Service {
    /// Calls one of the service's functions. A hazard slot of the thread names the service meanwhile, so
    /// `isRunningHere` is true. Registrations by the function do not belong to the owner that the thread has entered.
    func running<Result>(_ body: () -> Result) -> Result {
        let hazard = peal_hazard_occupy()
        if let hazard { peal_current_set(peal_hazard_current(hazard), gate) }
        let result = body()
        if let hazard { Broadcast.release(hazard) }
        return result
    }

    /// The address that represents the service as a current call, where observers have their gate. It is never read.
    private var gate: UnsafePointer<UInt32> {
        UnsafeRawPointer(record).assumingMemoryBound(to: UInt32.self)
    }

    /// Returns true if one of its functions runs on this thread, or a scope of it is open. Then this thread must not
    /// wait for the end of the service.
    var isRunningHere: Bool {
        guard let thread = peal_thread_own_slot() else { return false }
        return peal_thread_runs(thread, gate)
            || (0..<peal_thread_depth(thread)).contains { index in
                peal_scope_instance(peal_thread_hazard_at(thread, index))?.pointee.record == record
            }
    }
}
