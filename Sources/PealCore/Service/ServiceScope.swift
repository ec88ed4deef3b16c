public import CPealSupport

/// Keeps an instance for a block of code on one thread, by a hazard slot.
public enum ServiceScope {
    public typealias Hold = UnsafeMutablePointer<peal_hazard_slot>

    /// A begun scope: its slot, the instance, and the table.
    public typealias Begun = (hold: Hold, target: UnsafeMutableRawPointer?, table: UnsafeRawPointer?)

    /// Begins a scope in the thread's outermost slot, which is free. Returns nil if the slow path is needed. The caller
    /// must then release the slot.
    @inlinable
    @inline(__always)
    public static func beginShortly(
        _ hold: Hold, _ place: UnsafeMutablePointer<peal_service_place>, _ service: UInt64, _ proto: UInt64, _ size: Int
    ) -> Begun? {
        // The number is loaded last: if it is still the service's, so was all that was loaded before it.
        if let instance = peal_scope_publish(hold, place), peal_service_is_of(place, service) {
            if proto == 0 { return (hold, instance.pointee.`self`, nil) }
            // A slot protects the instance, so it has its record.
            if let provided = peal_record_find(instance.pointee.record.unsafelyUnwrapped, proto),
                let table = peal_provided_table(provided, size)
            {
                return (hold, instance.pointee.`self`, table)
            }
        }
        return nil
    }

    /// The slow path: creates the instance if there is none, and occupies an inner slot.
    public static func begin(_ service: Service) throws(Failure) -> (hold: Hold, target: UnsafeMutableRawPointer?) {
        while true {
            let use = try service.use()
            defer { use.end() }
            guard let place = peal_instance_place_of(use.number) else { throw .staleUse }
            guard let hold = peal_scope_protect(place) else {
                throw Failure(
                    .depth, "\(PEAL_THREAD_DEPTH) broadcasts and scopes are nested on this thread; end some of them")
            }
            // The removing thread marks the instance, and then loads the slots that may protect it.
            if !peal_instance_is_leaving(place) {
                service.showToScopes(use.number, place)
                return (hold, use.target)
            }
            Broadcast.release(hold)
        }
    }

    /// - Returns: False if that is not the thread's innermost slot, or protects no such instance.
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

    /// Does the work that the attention word of a released slot requires.
    public static func answer(_ hold: Hold) { Broadcast.answer(hold) }
}
