internal import CPealSupport

/// What a caller asks for when it registers an observer.
public struct Registration {
    public enum Functions {
        /// A C table that begins with its size.
        case table(UnsafeRawPointer)
        case bindings([FunctionBinding])
        /// One function for all methods, or for those with these names.
        case handler(UnsafeRawPointer, names: [String]?)
        /// What a service provides.
        case service
    }

    public enum Duplicates: Sendable { case refused, replaced, allowed }

    public var proto: PealProtocol
    public var target: UnsafeMutableRawPointer?
    public var functions: Functions
    public var destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    public var priority: Int32 = 0
    public var duplicates = Duplicates.refused
    public var isOnce = false
    public var isBlocked = false
    /// Where calls are delivered; nil: on the broadcasting thread.
    public var queue: Queue?
    public var weak: WeakTarget?
    public var owner: Owner?
    /// A service in the place of the target.
    var lazy: LazyObserver?
    /// The promise that bare pointers outlive delivery.
    public var isBorrowed = false
    /// Functions that were read before, in place of `functions`.
    var tables: FunctionTables?
    /// With a queue: a call that waits is dropped when the next one of its method comes.
    public var keepsLatest = false

    public init(proto: PealProtocol, target: UnsafeMutableRawPointer?, functions: Functions) {
        self.proto = proto
        self.target = target
        self.functions = functions
    }

    /// The gate that it begins with, but for the mark of a weak target.
    var gate: UInt32 {
        (isOnce ? ObserverGate.once : 0) | (isBlocked ? 1 : 0) | (lazy != nil ? ObserverGate.lazy : 0)
    }

    /// Registers for a caller who holds a lock: it replaces nobody, and what it leaves waits for the next
    /// collection.
    func registerLeavingLists() throws(Failure) -> Observation {
        try proto.center.withState { (state) throws(Failure) in try state.register(self) }.observation
    }

    /// Registers.
    ///
    /// The destroy callback is the caller's to run when this fails.
    public func register() throws(Failure) -> UInt64 {
        var registration = self
        if weak == nil { registration.weak = WeakTarget(behind: target) }
        let outcome = try registerFollowing { [registration] () throws(Failure) in try registration.registerOverDead() }
        Observation.letGo(outcome.replaced)
        return outcome.observation.number
    }

    /// Registers. An observer whose weak target has died is no duplicate of another target at its address: it is
    /// removed first.
    private func registerOverDead() throws(Failure) -> CenterState.RegistrationOutcome {
        while true {
            do throws(Failure) {
                return try proto.center.withState { (state) throws(Failure) in try state.register(self) }
            } catch {
                guard error.kind == .duplicate, try removeDeadDuplicates() else { throw error }
            }
        }
    }

    /// - Returns: Whether there were any.
    private func removeDeadDuplicates() throws(Failure) -> Bool {
        let probe = try proto.center.withState { (state) throws(Failure) in
            WeakProbe(try state.duplicates(of: self).map { $0.record })
        }
        let dead = probe.findDead()
        for number in dead { _ = try? Observation.remove(number) }
        return !dead.isEmpty
    }
}

extension CenterState {
    /// What a registration leaves to be done once the center's lock is released.
    struct RegistrationOutcome: Sendable {
        let observation: Observation
        let replaced: [Observation]
    }

    mutating func register(_ registration: Registration) throws(Failure) -> RegistrationOutcome {
        let proto = registration.proto
        guard self[proto].isDefined else {
            throw Failure(.handle, "protocol \(proto.name) has been taken back; its owner was retired")
        }
        let functions = try readFunctions(of: registration)
        let key = key(of: registration, functions)
        let known = registration.duplicates == .allowed ? [] : duplicates(of: key, in: proto)
        if registration.duplicates == .refused, !known.isEmpty {
            throw Failure(
                .duplicate,
                "the \(registration.lazy == nil ? "target" : "service") already observes \(proto.name); the first registration stays. PEAL_OBSERVE_REPLACE or PEAL_OBSERVE_ALLOW_DUPLICATE says otherwise")
        }
        let memory = try ObserverMemory(registration, functions: functions, in: self)
        registrations += 1
        memory.record.pointee.order = registrations
        do throws(Failure) {
            return try publish(
                memory, functions: functions, of: proto, key: key, registration: registration,
                replacing: registration.duplicates == .replaced ? known : [])
        } catch {
            memory.free()
            throw error
        }
    }

    fileprivate func duplicates(of registration: Registration) throws(Failure) -> [Observation] {
        duplicates(of: key(of: registration, try functions(of: registration)), in: registration.proto)
    }

    /// What another thread removes at this moment is no duplicate.
    private func duplicates(of key: ObserverKey, in proto: PealProtocol) -> [Observation] {
        (self[proto].observations[key.subject] ?? []).filter { $0.key == key && !ObserverGate.isEnding($0.gate) }
    }

    private func key(of registration: Registration, _ functions: FunctionTables) -> ObserverKey {
        let queue = registration.queue?.number ?? 0
        guard let lazy = registration.lazy else {
            return ObserverKey(target: registration.target, functions: functions, queue: queue)
        }
        return ObserverKey(service: lazy.service.number, queue: queue)
    }

    /// Reads and checks the functions of a registration that is yet to come.
    func readFunctions(of registration: Registration) throws(Failure) -> FunctionTables {
        let functions = try functions(of: registration)
        // They were checked when they were read.
        if registration.tables != nil { return functions }
        try checkConformance(of: functions, to: registration.proto)
        if registration.queue != nil { try checkPointers(of: registration, functions) }
        return functions
    }

    private func functions(of registration: Registration) throws(Failure) -> FunctionTables {
        if let lazy = registration.lazy { return lazy.functions }
        if let tables = registration.tables { return tables }
        return switch registration.functions {
        case .table(let table): try FunctionTables(reading: table, of: registration.proto, in: self)
        case .service: FunctionTables()
        case .bindings(let bindings): try FunctionTables(binding: bindings, of: registration.proto, in: self)
        case .handler(let function, let names):
            try FunctionTables(handler: function, names: names, of: registration.proto, in: self)
        }
    }

    func checkConformance(of functions: FunctionTables, to proto: PealProtocol) throws(Failure) {
        let missing = functions.missing(from: self[proto].all)
        guard missing.isEmpty else {
            let given = functions.handled == nil ? "the table for \(proto.name) lacks" : "the names for \(proto.name) lack"
            throw Failure(.conformance, "\(given) what is required: \(Self.list(missing.map { $0.title }))")
        }
    }

    /// A queue gets copies. A pointer of which nothing is said may lead nowhere by then.
    private func checkPointers(of registration: Registration, _ functions: FunctionTables) throws(Failure) {
        guard !registration.isBorrowed else { return }
        let proto = registration.proto
        for method in proto.family.flatMap({ self[$0].all }) where functions.function(for: method) != nil {
            guard let index = method.copyPlan.pointee.firstBarePointer else { continue }
            let parameter = method.declaration.signature.parameters[index]
            let name = parameter.name ?? "\(index + 1)"
            throw Failure(
                .type,
                "\(method.title): parameter \(name) is a bare pointer, which may lead nowhere when a queue delivers; say its length (__counted_by), register its type, or promise with `borrowed` or PEAL_OBSERVE_BORROWED that it outlives delivery")
        }
    }

    /// Lists the observer under all its methods, or under none when memory is short.
    private mutating func publish(
        _ memory: ObserverMemory, functions: FunctionTables, of proto: PealProtocol, key: ObserverKey,
        registration: Registration, replacing known: [Observation]
    ) throws(Failure) -> RegistrationOutcome {
        let listed = proto.family.flatMap { self[$0].all }.compactMap { method in
            memory.entry(for: method, functions: functions).map { ListedEntry(method: method, entry: $0) }
        }
        // A service's place is never called: its instance is another observer.
        let replaced = registration.lazy == nil ? known : []
        let successors = try Successors(of: replaced, by: memory.record, listed)
        let changes: [SnapshotTransaction]
        do throws(Failure) {
            changes = try prepare(listed, replacing: replaced.isEmpty ? [] : Set(replaced.map { $0.record }))
        } catch {
            successors.cancel()
            throw error
        }
        let observation: Observation
        do throws(Failure) {
            observation = try Handles.observations.insert { number in
                memory.record.pointee.number = number
                return Observation(
                    number: number, proto: proto, key: key, methods: listed.map { $0.method }, queue: registration.queue,
                    owner: registration.owner, lazy: registration.lazy, record: memory.record)
            }
        } catch {
            successors.cancel()
            for change in changes { change.cancel() }
            throw error
        }
        do throws(Failure) {
            try registration.queue?.remember(observation)
            try registration.owner?.add(observation)
            if let lazy = registration.lazy, !lazy.begin(observation.number) { throw .serviceEnded(lazy.service.name) }
        } catch {
            Handles.observations.remove(observation.number)
            registration.queue?.forget(observation)
            registration.owner?.remove(observation)
            successors.cancel()
            for change in changes { change.cancel() }
            throw error
        }
        remember(observation)
        // Nothing can fail from here on. New broadcasts call the new one before an old one is closed. Those that
        // another thread is removing are its own to finish.
        for change in changes { change.commit() }
        successors.commit()
        let closed = known.filter { $0.close() }
        let replacedLists = closed.isEmpty ? [] : Set(changes.filter { $0.replacesList }.map { $0.method.number })
        for old in closed { unlist(old, besides: replacedLists) }
        return RegistrationOutcome(observation: observation, replaced: closed)
    }

    func prepare(
        _ listed: [ListedEntry],
        replacing replaced: Set<UnsafeMutablePointer<ObserverRecord>> = []
    ) throws(Failure) -> [SnapshotTransaction] {
        var changes: [SnapshotTransaction] = []
        do throws(Failure) {
            for place in listed {
                changes.append(try SnapshotTransaction(inserting: place.entry, replacing: replaced, in: place.method))
            }
        } catch {
            for change in changes { change.cancel() }
            throw error
        }
        return changes
    }
}
