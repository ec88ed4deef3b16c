public import CPealSupport

/// A caller's request to register an observer. It is not copied, because a copy would cost a tenth of a registration.
public struct Registration: ~Copyable {
    public enum Functions {
        /// A C table that begins with its size.
        case table(UnsafeRawPointer)
        case bindings([FunctionBinding])
        /// Functions by names in the caller's memory. The names are not read if an earlier registration had equal ones.
        case named(peal_named_functions)
        /// One function for all methods.
        case handler(UnsafeRawPointer)
        /// The tables that a service provides.
        case service
    }

    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The first call ends the registration.
        public static let once = Options(rawValue: 1)
        public static let blocked = Options(rawValue: 2)
        /// The caller guarantees that bare pointers stay valid until delivery.
        public static let borrowed = Options(rawValue: 4)
        /// The observer's results do not count.
        public static let passive = Options(rawValue: 8)
        /// With a handler for all methods: methods that the protocol gets later are included.
        public static let includesLater = Options(rawValue: 16)
        /// With a queue: a waiting call is dropped when the next one of its method is enqueued.
        public static let keepsLatest = Options(rawValue: 32)
        /// Replaces the observers that have the same key. Without this and the next one, these refuse the registration.
        public static let replacesDuplicates = Options(rawValue: 64)
        public static let allowsDuplicates = Options(rawValue: 128)
        /// The observer gets the last calls of sticky methods. A service's instance gets none: it observes from the
        /// broadcast on that creates it.
        static let getsLastCalls = Options(rawValue: 256)
    }

    /// The objects of a registration. Most registrations have a table alone, and none of these.
    private final class Objects {
        var keptProto: PealProtocol?
        var functions: Functions?
        var queue: Queue?
        var owner: Owner?
        var lazy: LazyObserver?
        var tables: FunctionTables?
        var remainder: RegistrationRemainder?
        var ended: Observation?
    }

    let borrowedProto: Borrowed<PealProtocol>
    /// The registration owns this reference. A counted one would be released by a call even if it is nil.
    private var objects: Borrowed<Objects>?
    /// A C table that begins with its size; nil: other functions.
    private(set) var table: UnsafeRawPointer?
    /// Functions by names in the caller's memory; nil: other functions.
    var named: peal_named_functions?
    public var target: UnsafeMutableRawPointer?
    public var destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    public var weak: WeakTarget?
    public var priority: Int32 = 0
    public var options: Options = []

    public init(proto: PealProtocol, target: UnsafeMutableRawPointer?, functions: Functions) {
        self.init(borrowing: Borrowed(proto), target: target)
        changeObjects { $0.keptProto = proto }
        self.functions = functions
    }

    /// The caller must keep the protocol as long as the registration exists.
    @inline(__always)
    private init(borrowing proto: Borrowed<PealProtocol>, target: UnsafeMutableRawPointer?) {
        borrowedProto = proto
        self.target = target
    }

    var proto: PealProtocol { borrowedProto.object }

    /// The functions of a service, if none were set.
    public var functions: Functions {
        get {
            table.map { .table($0) } ?? named.map { .named($0) }
                ?? objects?.with { $0.functions } ?? .service
        }
        @inline(__always) set {
            switch newValue {
            case .table(let given): table = given
            case .named(let given): named = given
            default: changeObjects { $0.functions = newValue }
            }
        }
    }

    /// The queue that runs the calls; nil: the broadcasting thread does.
    public var queue: Queue? {
        get { objects?.with { $0.queue } }
        set { changeObjects { $0.queue = newValue } }
    }
    public var owner: Owner? {
        get { objects?.with { $0.owner } }
        set { changeObjects { $0.owner = newValue } }
    }
    /// A service instead of the target.
    var lazy: LazyObserver? {
        get { objects?.with { $0.lazy } }
        set { changeObjects { $0.lazy = newValue } }
    }
    /// Functions that were read before, instead of `functions`.
    var tables: FunctionTables? {
        get { objects?.with { $0.tables } }
        set { changeObjects { $0.tables = newValue } }
    }

    /// The work that remains once the center's lock is released.
    var remainder: RegistrationRemainder? {
        get { objects?.with { $0.remainder } }
        set { changeObjects { $0.remainder = newValue } }
    }

    /// The observer, if another thread ends it and its owner has been retired meanwhile.
    var ended: Observation? {
        get { objects?.with { $0.ended } }
        set { changeObjects { $0.ended = newValue } }
    }

    @inline(never)
    private mutating func changeObjects(_ change: (Objects) -> Void) {
        if let objects { return objects.with(change) }
        let made = Objects()
        change(made)
        objects = Borrowed(owning: made)
    }

    deinit { objects?.release() }

    /// The extras of the record, without those of a handler. Most observers have none.
    @inline(__always)
    var extras: UInt8 {
        guard objects != nil else { return UInt8(weak == nil ? PEAL_EXTRAS_NONE : PEAL_EXTRAS_COMMON) }
        if table == nil, named == nil {
            // Functions of a service.
            if case .service = functions { return UInt8(PEAL_EXTRAS_ALL) }
        }
        if owner != nil || weak != nil { return UInt8(PEAL_EXTRAS_COMMON) }
        return UInt8(queue != nil ? PEAL_EXTRAS_QUEUE : PEAL_EXTRAS_NONE)
    }

    /// The initial gate, without the mark of a weak target.
    var gate: UInt32 {
        (options.contains(.once) ? ObserverGate.once : 0) | (options.contains(.blocked) ? 1 : 0)
            | (lazy != nil ? ObserverGate.lazy : 0)
    }

    /// Registers for a caller that holds a lock. It replaces no observer, and retired memory waits for the next
    /// collection.
    mutating func registerLeavingLists() throws(Failure) -> Observation {
        let proto = proto
        return try proto.center.withState { (state) throws(Failure) in
            Observation(try state.register(&self, of: proto))
        }
    }

    /// Registers for the protocol of an id.
    ///
    /// If this fails, the caller must run the destroy callback.
    ///
    /// - Parameters:
    ///   - hasOptions: False if there is nothing to configure. Most registrations have no options.
    ///   - configure: Sets the options of the registration.
    /// - Returns: Nil if the id of the protocol is stale.
    @_optimize(speed)
    public static func register(
        _ proto: UInt64, _ target: UnsafeMutableRawPointer?, _ functions: Functions, hasOptions: Bool,
        _ configure: (inout Registration) throws(Failure) -> Void
    ) throws(Failure) -> UInt64? {
        // Found before a hazard slot is occupied, because an owner counts only at the depth at which it was entered.
        let owner = CurrentOwner.id
        return try Handles.protocols.withProtected(proto) { (proto) throws(Failure) in
            var registration = Registration(borrowing: proto, target: target)
            registration.functions = functions
            if hasOptions { try configure(&registration) }
            return try registration.registerInline(for: owner)
        }
    }

    /// Registers. A registration that names no owner has the thread's current one.
    ///
    /// If this fails, the caller must run the destroy callback.
    public mutating func register() throws(Failure) -> UInt64 { try registerInline(for: CurrentOwner.id) }

    /// - Parameter current: The thread's owner; 0: none.
    @inline(__always)
    private mutating func registerInline(for current: UInt64) throws(Failure) -> UInt64 {
        if owner == nil, current != 0 { owner = try CurrentOwner.find(current) }
        // With a thread record the thread's locks cost less: see fork.h.
        guard peal_thread_current() != nil else { throw .outOfMemory }
        if weak == nil, let proxy = WeakTarget(of: target) { weak = proxy }
        if lazy != nil { return try registerLazy() }
        options.insert(.getsLastCalls)
        let id = try registerOverDead()
        if weak != nil { sweepDead() }
        return id
    }

    /// A counted object ends its observers itself.
    @inline(never)
    private func sweepDead() {
        if weak?.isCounted == false { WeakSweep.runIfDue(on: proto) }
    }

    @inline(never)
    private mutating func registerLazy() throws(Failure) -> UInt64 {
        // The service then reports even an end during this registration.
        if let lazy { lazy.service.add(lazy) }
        do throws(Failure) {
            return try registerOverDead()
        } catch {
            if let lazy { lazy.service.remove(lazy) }
            throw error
        }
    }

    /// Registers, and runs what remains. An observer whose weak target has died is no duplicate of another target at its address. The dead
    /// observer is removed first.
    ///
    /// The functions of a registration are mutating, and so are those of the state, because each call of another function
    /// would copy the whole struct.
    @inline(__always)
    private mutating func registerOverDead() throws(Failure) -> UInt64 {
        while true {
            do throws(Failure) {
                let id = try borrowedProto.with { (proto) throws(Failure) in
                    try proto.center.withStateInline { (state) throws(Failure) in
                        try state.register(&self, of: proto).pointee.id
                    }
                }
                if objects != nil { finish() }
                return id
            } catch {
                guard error.kind == .duplicate, try removeDeadDuplicates() else { throw error }
            }
        }
    }

    /// The work that remains once the center's lock is released.
    private func finish() {
        remainder?.run()
        // The retirement of the owner does not wait for this destroy callback.
        if let ended { ObserverLife.destroy(ended.record) }
    }

    /// - Returns: True if a duplicate's weak target was dead. That observer has been removed.
    private mutating func removeDeadDuplicates() throws(Failure) -> Bool {
        let proto = proto
        let probe = try proto.center.withState { (state) throws(Failure) in
            WeakProbe(try state.duplicates(of: &self, in: proto))
        }
        let dead = probe.findDead()
        for id in dead { _ = try? Observation.remove(id) }
        return !dead.isEmpty
    }
}

extension CenterState {
    /// - Returns: The record, which is valid under the lock.
    @inline(__always)
    mutating func register(_ registration: inout Registration, of proto: PealProtocol) throws(Failure) -> Observer {
        guard self[proto].isDefined else { throw .removed(proto) }
        if let tables = lastTables(of: &registration, proto) { return try register(&registration, of: proto, tables) }
        return try registerReading(&registration, of: proto)
    }

    /// Reads the functions first.
    @inline(never)
    private mutating func registerReading(
        _ registration: inout Registration, of proto: PealProtocol
    ) throws(Failure) -> Observer {
        let tables = try tables(of: &registration, proto)
        defer { extendLifetime(tables) }
        return try register(&registration, of: proto, Borrowed(tables))
    }

    private mutating func register(
        _ registration: inout Registration, of proto: PealProtocol, _ tables: Borrowed<ObserverTables>
    ) throws(Failure) -> Observer {
        // An observer that has left is no duplicate.
        proto.center.leaving.unindex()
        let key = ObserverKey.Hash(&registration, tables)
        self[proto].observers.prefetchIfLarge(key)
        let record = try Observer.make(&registration, tables)
        do throws(Failure) {
            try publish(record, key, &registration, of: proto)
            return record
        } catch {
            ObserverLife.releaseMemory(record)
            throw error
        }
    }

    @inline(__always)
    private mutating func publish(
        _ record: Observer, _ key: ObserverKey.Hash, _ registration: inout Registration, of proto: PealProtocol
    ) throws(Failure) {
        let position = try proto.state.observers.reserve(key)
        if position.isTaken || registration.options.contains(.includesLater) {
            return try publishSlow(record, at: position, &registration, of: proto)
        }
        setOrder(of: record)
        if try !publishFast(record, at: position, of: proto) {
            try publish(record, at: position, &registration, of: proto)
        }
    }

    @inline(__always)
    private mutating func setOrder(of record: Observer) {
        registrations += 1
        record.pointee.order = registrations
    }

    /// Publishes an observer that may be a duplicate, or whose handler includes later methods.
    @inline(never)
    private mutating func publishSlow(
        _ record: Observer, at position: ObserverIndex.Position, _ registration: inout Registration,
        of proto: PealProtocol
    ) throws(Failure) {
        var known: [Observer] = []
        if !registration.options.contains(.allowsDuplicates) || registration.options.contains(.replacesDuplicates) {
            known = ObserverKey(&registration, record.borrowedTables).duplicates(in: proto)
        }
        guard known.isEmpty || registration.options.contains(.replacesDuplicates) else {
            throw .duplicate(of: registration.lazy == nil ? "target" : "service", proto)
        }
        setOrder(of: record)
        let includesLater = registration.options.contains(.includesLater)
        if includesLater { proto.center.laterObservers.insert(record, of: proto) }
        do throws(Failure) {
            if known.isEmpty {
                try publish(record, at: position, &registration, of: proto)
            } else {
                try publish(record, at: position, &registration, of: proto, replacing: known)
            }
        } catch {
            if includesLater { proto.center.laterObservers.remove(record, of: proto) }
            throw error
        }
    }

    fileprivate mutating func duplicates(
        of registration: inout Registration, in proto: PealProtocol
    ) throws(Failure) -> [Observer] {
        let tables = try tables(of: &registration, proto)
        defer { extendLifetime(tables) }
        return ObserverKey(&registration, Borrowed(tables)).duplicates(in: proto)
    }
}

// Not inlined: a registration that succeeds builds no text.
extension Failure {
    @inline(never)
    fileprivate static func removed(_ proto: PealProtocol) -> Failure {
        Failure(.handle, "protocol \(proto.name) was removed, because its owner was retired")
    }

    @inline(never)
    fileprivate static func duplicate(of object: String, _ proto: PealProtocol) -> Failure {
        Failure(
            .duplicate,
            "the \(object) already observes \(proto.name); the first registration stays; use PEAL_OBSERVE_REPLACE or PEAL_OBSERVE_ALLOW_DUPLICATE to register it again"
        )
    }
}

/// The work of a registration that remains once the center's lock is released.
final class RegistrationRemainder {
    private let replaced: [Observer]
    private let leavesLongList: Bool
    private let lastCalls: LastCallDelivery?

    /// - Parameters:
    ///   - leavesLongList: The registration replaced a list that may take megabytes.
    ///   - lastCalls: Nil if the observer has no sticky method.
    init(replaced: [Observer] = [], leavesLongList: Bool, lastCalls: LastCallDelivery?) {
        self.replaced = replaced
        self.leavesLongList = leavesLongList
        self.lastCalls = lastCalls
    }

    func run() {
        Observer.finishRemoval(replaced)
        if leavesLongList { Reclaimer.collect() }
        lastCalls?.run()
    }
}
