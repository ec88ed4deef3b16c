public import CPealSupport

/// Keeps an instance for a block of code on one thread, by a hazard slot.
public enum ServiceScope {
    public typealias Hazard = UnsafeMutablePointer<peal_hazard_slot>

    /// A begun scope: its slot, the instance, and the table.
    public typealias Begun = (hazard: Hazard, target: UnsafeMutableRawPointer?, table: UnsafeRawPointer?)

    /// Begins a scope in the thread's outermost slot, which must be free. Returns nil if the slow path is needed. The
    /// caller must then release the slot.
    @inlinable
    @inline(__always)
    public static func beginFast(
        _ hazard: Hazard, _ element: UnsafeMutablePointer<peal_service_element>, _ service: UInt64, _ proto: UInt64,
        _ size: Int
    ) -> Begun? {
        // The id is loaded last: if it is still the service's, so was all that was loaded before it.
        if let instance = peal_scope_publish(hazard, element), peal_service_is_of(element, service) {
            if proto == 0 { return (hazard, instance.pointee.`self`, nil) }
            // A slot protects the instance, so the instance has its record.
            if let provided = peal_record_find(instance.pointee.record.unsafelyUnwrapped, proto),
                let table = peal_provided_table(provided, size)
            {
                return (hazard, instance.pointee.`self`, table)
            }
        }
        return nil
    }

    /// The slow path: creates the instance if there is none, and occupies an inner slot.
    public static func begin(_ service: Service) throws(Failure) -> (hazard: Hazard, target: UnsafeMutableRawPointer?) {
        while true {
            let use = try service.use()
            defer { use.end() }
            guard let element = peal_instance_element_of(use.id) else { throw .staleUse }
            guard let hazard = peal_scope_protect(element) else {
                guard peal_thread_is_full() else { throw .outOfMemory }
                throw Failure(
                    .depth, "\(PEAL_THREAD_DEPTH) broadcasts and scopes are nested on this thread; end some of them")
            }
            // This thread has stored its slot and passed a fence before it loads the instance's mark. The removing
            // thread sets the mark, and then loads all slots.
            if !peal_instance_is_leaving(element) {
                service.publishToScopes(use.id, element)
                return (hazard, use.target)
            }
            Broadcast.release(hazard)
        }
    }

    /// - Returns: False if `hazard` is not the thread's innermost slot, or does not protect this instance.
    public static func end(_ hazard: Hazard, _ target: UnsafeMutableRawPointer?) -> Bool {
        guard let thread = peal_thread_own_slot(), peal_thread_innermost(thread) == hazard,
            peal_scope_protects(hazard, target)
        else { return false }
        peal_order_end()
        release(hazard)
        return true
    }

    public static func release(_ hazard: Hazard) {
        if peal_hazard_release(hazard) { answer(hazard) }
    }

    /// Does the work that the attention word of a released slot requires.
    public static func answer(_ hazard: Hazard) { Broadcast.answer(hazard) }
}
