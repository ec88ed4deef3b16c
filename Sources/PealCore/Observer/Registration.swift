/// What a caller asks for when it registers an observer.
public struct Registration {
    public enum Functions {
        /// A C table that begins with its size.
        case table(UnsafeRawPointer)
        case bindings([FunctionBinding])
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

    public init(proto: PealProtocol, target: UnsafeMutableRawPointer?, functions: Functions) {
        self.proto = proto
        self.target = target
        self.functions = functions
    }

    /// The gate that it begins with.
    var gate: UInt32 {
        (isOnce ? ObserverGate.once : 0) | (isBlocked ? 1 : 0)
    }

    /// Registers.
    ///
    /// The destroy callback is the caller's to run when this fails.
    public func register() throws(Failure) -> UInt64 {
        let outcome = try proto.center.withState { (state) throws(Failure) in try state.register(self) }
        Reclaimer.retire(outcome.retired, now: outcome.replaced.contains { $0.record.pointee.destroy != nil })
        for replaced in outcome.replaced { ObserverLife.release(replaced.record) }
        return outcome.number
    }
}

extension CenterState {
    /// What a registration leaves to be done once the center's lock is released.
    struct RegistrationOutcome: Sendable {
        let number: UInt64
        let retired: [Reclaimer.Retired]
        let replaced: [Observation]
    }

    mutating func register(_ registration: Registration) throws(Failure) -> RegistrationOutcome {
        let proto = registration.proto
        let functions = try functions(of: registration)
        try checkConformance(of: functions, to: proto)
        let key = ObserverKey(target: registration.target, functions: functions)
        let known = self[proto].observations[key] ?? []
        if registration.duplicates == .refused, !known.isEmpty {
            throw Failure(
                .duplicate,
                "the target already observes \(proto.name); the first registration stays. PEAL_OBSERVE_REPLACE or PEAL_OBSERVE_ALLOW_DUPLICATE says otherwise")
        }
        let memory = try ObserverMemory(registration, functions: functions, in: self)
        do throws(Failure) {
            return try publish(
                memory, functions: functions, of: proto, key: key,
                replacing: registration.duplicates == .replaced ? known : [])
        } catch {
            memory.free()
            throw error
        }
    }

    private func functions(of registration: Registration) throws(Failure) -> FunctionTables {
        switch registration.functions {
        case .table(let table): try FunctionTables(reading: table, of: registration.proto, in: self)
        case .bindings(let bindings): try FunctionTables(binding: bindings, of: registration.proto, in: self)
        }
    }

    private func checkConformance(of functions: FunctionTables, to proto: PealProtocol) throws(Failure) {
        let missing = functions.missing(from: self[proto].all)
        guard missing.isEmpty else {
            throw Failure(
                .conformance,
                "the table for \(proto.name) lacks what is required: \(Self.list(missing.map(\.title)))")
        }
    }

    /// Lists the observer under all its methods, or under none when memory is short.
    private mutating func publish(
        _ memory: ObserverMemory, functions: FunctionTables, of proto: PealProtocol, key: ObserverKey,
        replacing known: [Observation]
    ) throws(Failure) -> RegistrationOutcome {
        let listed = proto.family.flatMap { self[$0].all }.compactMap { method in
            memory.entry(for: method, functions: functions).map { (method: method, entry: $0) }
        }
        let edits = try prepare(listed)
        let made = Handles.observations.insert { number in
            memory.record.pointee.number = number
            return Observation(
                number: number, proto: proto, key: key, methods: listed.map(\.method), record: memory.record)
        }
        guard let observation = made else {
            for edit in edits { edit.cancel() }
            throw Failure(.limit, "there are too many observations in the process; remove those that are not needed")
        }
        remember(observation)
        // Nothing can fail from here on. Those that another thread is removing are its own to finish.
        let replaced = known.filter { $0.close() }
        var retired = edits.compactMap { $0.commit() }.map(Reclaimer.Retired.list)
        for old in replaced { retired += unlist(old) }
        return RegistrationOutcome(number: observation.number, retired: retired, replaced: replaced)
    }

    private func prepare(_ listed: [(method: Method, entry: SnapshotEntry)]) throws(Failure) -> [SnapshotEdit] {
        var edits: [SnapshotEdit] = []
        do throws(Failure) {
            for (method, entry) in listed { edits.append(try SnapshotEdit(inserting: entry, in: method)) }
        } catch {
            for edit in edits { edit.cancel() }
            throw error
        }
        return edits
    }
}
