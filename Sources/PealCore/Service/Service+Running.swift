internal import CPealSupport

extension Service {
    /// Calls one of its functions: a level of the thread says so, for who wants to know whether this thread
    /// may wait for the service. Registrations in it are not the thread's owner's.
    func running<Result>(_ body: () -> Result) -> Result {
        let hold = peal_hazard_occupy()
        if let hold { peal_current_set(peal_hazard_current(hold), gate) }
        let result = body()
        if let hold { Broadcast.release(hold) }
        return result
    }

    /// What stands for it where observers have their gate: an address, and nothing else.
    private var gate: UnsafePointer<UInt32> {
        UnsafeRawPointer(record).assumingMemoryBound(to: UInt32.self)
    }

    /// Whether one of its functions runs on this thread, or a scope of it is open: then this thread cannot
    /// wait for its end.
    var isRunningHere: Bool {
        guard let thread = peal_thread_own_slot() else { return false }
        return peal_thread_runs(thread, gate)
            || (0..<peal_thread_depth(thread)).contains { level in
                peal_scope_instance(peal_thread_level(thread, level))?.pointee.record == record
            }
    }
}
