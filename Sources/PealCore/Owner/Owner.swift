internal import CPealSupport
import PealCall

/// A scope to which registrations belong, a plugin's say, so that all of them can be ended in one go.
public final class Owner: Sendable {
    public let number: UInt64
    public let name: String
    private let members = Guarded(Members())

    /// What belongs to an owner. Each leaves when none of its functions is called any more.
    struct Members {
        /// Nothing comes any more.
        var isRetired = false
        /// The thread that ends the members now; 0: none.
        var ender: UInt = 0
        var observations: [UInt64: Observation] = [:]
        var queues: [UInt64: Queue] = [:]
        var protocols: [PealProtocol] = []
        var properties: [Property] = []
        var types: [ManagedType] = []
        var completions: [UInt64: Completion] = [:]
        var modules: [UInt64: Module] = [:]
        var services: [UInt64: Service] = [:]
        var timers: [UInt64: Timer] = [:]
        var proxies: [UInt64: Proxy] = [:]
        /// Observations, timers and targets of proxies that were removed, but may still be called, or destroyed.
        var endings: [UInt64: any RecordKeeper] = [:]
        /// The functions of types that were taken back: captured arguments may need them.
        var hooks: [TypeHooks] = []
    }

    /// A type of a center whose functions are the owner's.
    struct ManagedType: Sendable {
        let center: Center
        let name: String
    }

    private init(number: UInt64, name: String) {
        self.number = number
        self.name = name
    }

    public static func make(_ name: String) throws(Failure) -> Owner {
        guard name.utf8.count <= longestName else {
            throw Failure(.argument, "the name of an owner has \(name.utf8.count) bytes; \(longestName) at most")
        }
        return try Handles.owners.insert { Owner(number: $0, name: name) }
    }

    private static var longestName: Int { 255 }

    public var observations: [UInt64] {
        members.withLock { $0.observations.keys.sorted() }
    }

    /// Under the lock of whatever the member is found by, before anybody can end it.
    func remember(_ observation: Observation) throws(Failure) {
        try remember { $0.observations[observation.number] = observation }
    }
    func remember(_ queue: Queue) throws(Failure) {
        try remember { $0.queues[queue.number] = queue }
    }
    func remember(_ proto: PealProtocol) throws(Failure) {
        try remember { members in
            if !members.protocols.contains(proto) { members.protocols.append(proto) }
        }
    }
    func remember(_ property: Property) throws(Failure) {
        try remember { members in
            if !members.properties.contains(property) { members.properties.append(property) }
        }
    }
    func remember(_ type: ManagedType) throws(Failure) {
        try remember { $0.types.append(type) }
    }

    func remember(_ completion: Completion) throws(Failure) {
        try remember { $0.completions[completion.number] = completion }
    }

    func remember(_ module: Module) throws(Failure) {
        try remember { $0.modules[module.number] = module }
    }
    func forget(_ module: Module) {
        members.withLock { $0.modules[module.number] = nil }
    }

    func remember(_ service: Service) throws(Failure) {
        try remember { $0.services[service.number] = service }
    }
    /// Those that have ended are still to be waited for: until nothing of their code is called.
    func forget(_ service: Service) {
        let gone = members.withLock { $0.services.removeValue(forKey: service.number) }
        withExtendedLifetime(gone) {}
    }
    func remember(_ timer: Timer) throws(Failure) {
        try remember { $0.timers[timer.number] = timer }
    }

    func remember(_ proxy: Proxy) throws(Failure) {
        try remember { $0.proxies[proxy.number] = proxy }
    }

    func forget(_ proxy: Proxy) {
        members.withLock { $0.proxies[proxy.number] = nil }
    }
    func awaitEnd(of proxy: Proxy) {
        members.withLock { $0.endings[proxy.number] = proxy }
    }
    func forget(_ completion: Completion) {
        members.withLock { $0.completions[completion.number] = nil }
    }
    func forget(_ observation: Observation) {
        members.withLock { $0.observations[observation.number] = nil }
    }
    /// The same for one that was removed: its calls that run and its destroy callback are still to be waited
    /// for.
    func awaitEnd(of observation: Observation) {
        members.withLock { members in
            members.observations[observation.number] = nil
            members.endings[observation.number] = observation
        }
    }
    func awaitEnd(of timer: Timer) {
        members.withLock { members in
            members.timers[timer.number] = nil
            members.endings[timer.number] = timer
        }
    }
    /// Of an observation, a timer or a proxy.
    func noteEnd(_ number: UInt64) {
        // What it lets go of may run user code: not under the lock.
        let ended = members.withLock { $0.endings.removeValue(forKey: number) }
        extendLifetime(ended)
    }
    func forget(_ queue: Queue) {
        members.withLock { $0.queues[queue.number] = nil }
    }

    private func remember(_ add: (inout Members) -> Void) throws(Failure) {
        let isKept = members.withLock { members in
            if !members.isRetired { add(&members) }
            return !members.isRetired
        }
        guard isKept else { throw .staleOwner }
    }

    /// Reads the members under their lock; no user code may run in it.
    func read<Value: Sendable>(_ body: (Members) -> Value) -> Value {
        members.withLock { body($0) }
    }

    /// Lets no member come after this.
    func beginRetiring() -> OwnerRemains {
        members.withLock { members in
            members.isRetired = true
            members.ender = UInt(bitPattern: peal_thread_current())
            return OwnerRemains(members)
        }
    }

    /// All members have been ended.
    func endRetiring(_ hooks: [TypeHooks]) {
        members.withLock { members in
            members.ender = 0
            members.protocols = []
            members.properties = []
            members.types = []
            members.hooks = hooks
        }
    }
}

extension Failure {
    public static let staleOwner = Failure(.handle, "the owner's handle is zero, made up, or the owner has been retired")
}
