internal import CPealSupport

/// The tables of all handles of the process.
public enum Handles {
    public static let centers = HandleTable<Center>(tag: 1, limit: 1 << 20)
    public static let protocols = HandleTable<PealProtocol>(tag: 2, limit: 1 << 24)
    public static let methods = HandleTable<Method>(tag: 3, limit: Int(PEAL_DIRECTORY_PLACES))
    public static let observations = HandleTable<Observation>(tag: 4, limit: 1 << 28)
    public static let invocations = HandleTable<Invocation>(tag: 5, limit: 1 << 28)
    public static let queues = HandleTable<Queue>(tag: 6, limit: 1 << 20)
    public static let references = HandleTable<Reference>(tag: 7, limit: 1 << 28)
    public static let completions = HandleTable<CompletionHandle>(tag: 9, limit: 1 << 28)
    public static let services = HandleTable<Service>(tag: 10, limit: Int(PEAL_PLACES))
    static let instances = HandleTable<Instance>(tag: 11, limit: Int(PEAL_PLACES))
    public static let modules = HandleTable<Module>(tag: 12, limit: 1 << 24)
    /// Within the engine alone: they come back from timers, queues and completions. So their tags tell nothing.
    static let moduleSteps = HandleTable<ModuleStep>(tag: 0, limit: 1 << 24)
    static let errands = HandleTable<Errand>(tag: 0, limit: 1 << 20)
    public static let properties = HandleTable<Property>(tag: 15, limit: Int(PEAL_PROPERTY_PLACES))
    public static let timers = HandleTable<Timer>(tag: 14, limit: 1 << 28)
    public static let proxies = HandleTable<Proxy>(tag: 13, limit: Int(PEAL_PROXY_PLACES))
    public static let owners = HandleTable<Owner>(tag: 8, limit: 1 << 20)

    /// Drops what was retired under a record's number, once the last of the record's functions has returned: an
    /// observation, a timer, or the target of a proxy.
    static func dropEnded(_ number: UInt64) {
        if let observation = observations.recycle(number) {
            observation.owner?.noteEnd(number)
        } else if let timer = timers.recycle(number) {
            timer.owner?.noteEnd(number)
        } else {
            proxies.findEvenRetired(number)?.noteTargetEnd()
        }
    }
}
