internal import CPealSupport

extension UnsafeMutablePointer<peal_slots> {
    /// Takes a free slot, which the caller publishes or frees.
    ///
    /// - Parameter limit: The sentence of the failure if all slots are taken.
    func take(limit: StaticString) throws(Failure) -> UInt64 {
        var id: UInt64 = 0
        switch peal_slot_allocate(self, &id) {
        case PEAL_SLOT_FULL: throw Failure(.limit, limit.description)
        case PEAL_SLOT_NO_MEMORY: throw .outOfMemory
        default: return id
        }
    }
}

/// The tables of all handles of the process. Their slots are constants of slot.c, so the use of a table initialises
/// nothing.
public enum Handles {
    public static var centers: HandleTable<Center> {
        table(PEAL_SLOTS_CENTERS, "there are too many centers; end those that are not used")
    }
    public static var protocols: HandleTable<PealProtocol> {
        table(PEAL_SLOTS_PROTOCOLS, "there are too many protocols in the process; end centers that are not used")
    }
    public static var methods: HandleTable<Method> {
        table(PEAL_SLOTS_METHODS, "there are too many methods in the process; end centers that are not used")
    }
    public static var observations: ObserverHandles { ObserverHandles(PEAL_SLOTS_OBSERVATIONS) }
    public static var queues: HandleTable<Queue> {
        table(PEAL_SLOTS_QUEUES, "there are too many queues in the process; end those that are not used")
    }
    public static var completions: HandleTable<CompletionHandle> {
        table(PEAL_SLOTS_COMPLETIONS, "there are too many completions in the process; answer or cancel those that wait")
    }
    public static var services: HandleTable<Service> {
        table(PEAL_SLOTS_SERVICES, "there are too many services in the process; unregister those that are not needed")
    }
    public static var modules: HandleTable<Module> {
        table(PEAL_SLOTS_MODULES, "there are too many modules in the process; remove those that are not needed")
    }
    static var moduleSteps: HandleTable<ModuleStep> {
        table(PEAL_SLOTS_MODULE_STEPS, "too many modules in the process start or stop at once")
    }
    static var detachedWork: HandleTable<DetachedWork> {
        table(PEAL_SLOTS_DETACHED_WORK, "too many threads of the process wait for their own calls")
    }
    public static var properties: HandleTable<Property> {
        table(PEAL_SLOTS_PROPERTIES, "there are too many properties in the process; remove those that are not needed")
    }
    public static var timers: TimerHandles { TimerHandles() }
    public static var proxies: HandleTable<Proxy> {
        table(PEAL_SLOTS_PROXIES, "there are too many proxies in the process; destroy those that are not needed")
    }
    public static var owners: HandleTable<Owner> {
        table(PEAL_SLOTS_OWNERS, "there are too many owners in the process; retire those that are not needed")
    }

    private static func table<Object>(_ kind: peal_slot_kind, _ limit: StaticString) -> HandleTable<Object> {
        HandleTable(peal_slots_of(kind), limit: limit)
    }

    /// Ends the retired object of a record's id, once the last of the record's functions has returned. The object is an
    /// observation, a timer, or the target of a proxy.
    ///
    /// - Returns: The number of weak counts of the record that the caller must release.
    static func dropEnded(_ record: Observer) -> UInt32 {
        let id = record.pointee.id
        peal_label_remove(id)
        if let counts = observations.recycle(id) {
            record.owner?.remove(record)
            return counts
        }
        if let counts = timers.recycle(id) {
            record.owner?.remove(Timer(TimerRecord(record)))
            return counts
        }
        proxies.findEvenRetired(id)?.noteTargetEnd()
        return 0
    }
}
