public import CPealSupport

/// An instance that stays for a while on one thread, kept by a level of it.
public enum ServiceScope {
    public typealias Hold = UnsafeMutablePointer<peal_hazard_slot>

    /// What a scope shows.
    public typealias Begun = (hold: Hold, target: UnsafeMutableRawPointer?, table: UnsafeRawPointer?)

    /// At the thread's outermost level, which is free: nil where a closer look is needed. Then the level is to be
    /// released.
    @inlinable
    @inline(__always)
    public static func beginShortly(
        _ hold: Hold, _ place: UnsafeMutablePointer<peal_service_place>, _ service: UInt64, _ proto: UInt64, _ size: Int
    ) -> Begun? {
        // The number last: while it is there, what was read before it was the service's.
        if let instance = peal_scope_publish(hold, place), peal_service_is_of(place, service) {
            if proto == 0 { return (hold, instance.pointee.`self`, nil) }
            // A level holds it: it has its record.
            if let provided = peal_record_find(instance.pointee.record.unsafelyUnwrapped, proto),
                let table = peal_provided_table(provided, size)
            {
                return (hold, instance.pointee.`self`, table)
            }
        }
        return nil
    }

    /// The long way: creates the instance where there is none, takes an inner level.
    public static func begin(_ service: Service) throws(Failure) -> (hold: Hold, target: UnsafeMutableRawPointer?) {
        while true {
            let use = try service.use()
            defer { use.end() }
            guard let place = peal_instance_place_of(use.number) else { throw .staleUse }
            guard let hold = peal_scope_protect(place) else {
                throw Failure(.depth, "\(PEAL_THREAD_DEPTH) broadcasts and scopes are nested on this thread; end some of them")
            }
            // Who removes it marks it first, and then looks for levels that hold it.
            if !peal_instance_is_leaving(place) {
                service.showToScopes(use.number, place)
                return (hold, use.target)
            }
            Broadcast.release(hold)
        }
    }

    /// - Returns: False when that is not the innermost of this thread, or holds no such instance.
    public static func end(_ hold: Hold, _ target: UnsafeMutableRawPointer?) -> Bool {
        guard let thread = peal_thread_own_slot(), peal_thread_innermost(thread) == hold,
            peal_scope_protects(hold, target)
        else { return false }
        release(hold)
        return true
    }

    public static func release(_ hold: Hold) {
        if peal_hazard_release(hold) { answer(hold) }
    }

    /// What is left to do for a level that was released.
    public static func answer(_ hold: Hold) { Broadcast.answer(hold) }
}
