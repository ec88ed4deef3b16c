internal import CPealSupport

/// A caller's request to register an observer. It is not copied, because a copy would cost a tenth of a registration.
public struct Registration: ~Copyable {
    public enum Functions {
        /// A C table that begins with its size.
        case table(UnsafeRawPointer)
        case bindings([FunctionBinding])
        /// Bindings in the caller's memory. They are not read if an earlier registration had equal bindings.
        case callerBindings(CallerBindings)
        /// One function for all methods, or for those with these names.
        case handler(UnsafeRawPointer, names: [String]?)
        /// The tables that a service provides.
        case service
    }

    public enum Duplicates: Sendable { case refused, replaced, allowed }

    let borrowedProto: Borrowed<PealProtocol>
    private let keptProto: PealProtocol?
    public var target: UnsafeMutableRawPointer?
    public var functions: Functions
    public var destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    public var priority: Int32 = 0
    public var duplicates = Duplicates.refused
    public var isOnce = false
    public var isBlocked = false
    /// The queue that runs the calls; nil: the broadcasting thread does.
    public var queue: Queue?
    public var weak: WeakTarget?
    public var owner: Owner?
    /// A service instead of the target.
    var lazy: LazyObserver?
    /// The caller guarantees that bare pointers stay valid until delivery.
    public var isBorrowed = false
    /// The observer's results do not count.
    public var isPassive = false
    /// With a handler for all methods: methods that the protocol gets later are included.
    public var includesLater = false
    /// Functions that were read before, instead of `functions`.
    var tables: FunctionTables?
    /// With a queue: a waiting call is dropped when the next one of its method is enqueued.
    public var keepsLatest = false
    /// The observer gets the last calls of sticky methods. A service's instance gets none: it observes from the
    /// broadcast on that creates it.
    var getsLastCalls = false

    init(proto: PealProtocol, target: UnsafeMutableRawPointer?, functions: Functions) {
        borrowedProto = Borrowed(proto)
        keptProto = proto
        self.target = target
        self.functions = functions
    }

    /// The caller must keep the protocol as long as the registration exists.
    @inline(__always)
    private init(borrowing proto: Borrowed<PealProtocol>, target: UnsafeMutableRawPointer?) {
        borrowedProto = proto
        keptProto = nil
        self.target = target
        functions = .service
    }

    var proto: PealProtocol { borrowedProto.object }

    /// The extras of the record, without those of a handler. Most observers have none.
    @inline(__always)
    var extras: UInt8 {
        if case .service = functions { return UInt8(PEAL_EXTRAS_ALL) }
        if owner != nil || weak != nil { return UInt8(PEAL_EXTRAS_COMMON) }
        return UInt8(queue != nil ? PEAL_EXTRAS_QUEUE : PEAL_EXTRAS_NONE)
    }

    /// The initial gate, without the mark of a weak target.
    var gate: UInt32 {
        (isOnce ? ObserverGate.once : 0) | (isBlocked ? 1 : 0) | (lazy != nil ? ObserverGate.lazy : 0)
    }

    /// Registers for a caller that holds a lock. It replaces no observer, and retired memory waits for the next
    /// collection.
    mutating func registerLeavingLists() throws(Failure) -> Observation {
        let proto = proto
        return try proto.center.withState { (state) throws(Failure) in
            Observation(try state.register(&self, of: proto).record)
        }
    }

    /// Registers for the protocol of an id.
    ///
    /// If this fails, the caller must run the destroy callback.
    ///
    /// - Parameter configure: Sets the functions and the options of the registration.
    /// - Returns: Nil if the id of the protocol is stale.
    @_optimize(speed)
    public static func register(
        _ proto: UInt64, _ target: UnsafeMutableRawPointer?,
        _ configure: (inout Registration) throws(Failure) -> Void
    ) throws(Failure) -> UInt64? {
        // Found before a hazard slot is occupied, because an owner counts only at the depth at which it was entered.
        let owner = CurrentOwner.id
        return try Handles.protocols.withProtected(proto) { (proto) throws(Failure) in
            var registration = Registration(borrowing: proto, target: target)
            try configure(&registration)
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
        if weak == nil { weak = WeakTarget(of: target) }
        getsLastCalls = lazy == nil
        // The service then reports even an end during this registration.
        if let lazy { lazy.service.add(lazy) }
        do throws(Failure) {
            let outcome = try registerOverDead()
            outcome.remainder?.run()
            return outcome.id
        } catch {
            if let lazy { lazy.service.remove(lazy) }
            throw error
        }
    }

    /// Registers. An observer whose weak target has died is no duplicate of another target at its address. The dead
    /// observer is removed first.
    ///
    /// The functions of a registration are mutating, and so are those of the state, because each call of another function
    /// would copy the whole struct.
    @inline(__always)
    private mutating func registerOverDead() throws(Failure) -> CenterState.RegistrationOutcome {
        while true {
            do throws(Failure) {
                return try borrowedProto.with { (proto) throws(Failure) in
                    try proto.center.withState { (state) throws(Failure) in try state.register(&self, of: proto) }
                }
            } catch {
                guard error.kind == .duplicate, try removeDeadDuplicates() else { throw error }
            }
        }
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
    struct RegistrationOutcome: @unchecked Sendable {
        // Unchecked: the record is valid under the lock.
        let id: UInt64
        /// Valid under the lock.
        let record: Observer
        /// Nil for most registrations.
        let remainder: RegistrationRemainder?
    }

    mutating func register(
        _ registration: inout Registration, of proto: PealProtocol
    ) throws(Failure) -> RegistrationOutcome {
        guard self[proto].isDefined else { throw .removed(proto) }
        let known = lastTables(of: &registration, proto)
        let found = known == nil ? try tables(of: &registration, proto) : nil
        defer { extendLifetime(found) }
        let tables = known ?? Borrowed(found.unsafelyUnwrapped)
        let key = ObserverKey(&registration, tables)
        if registration.duplicates == .refused, key.index(in: self[proto]).contains(key.hash), key.isTaken(in: proto) {
            throw .duplicate(of: registration.lazy == nil ? "target" : "service", proto)
        }
        let record = try Observer.make(&registration, tables)
        registrations += 1
        record.pointee.order = registrations
        do throws(Failure) {
            if registration.includesLater { proto.center.laterObservers.insert(record, of: proto) }
            if registration.duplicates == .replaced {
                let known = key.duplicates(in: proto)
                if !known.isEmpty { return try publish(record, &registration, of: proto, replacing: known) }
            }
            return try publish(record, &registration, of: proto)
        } catch {
            if registration.includesLater { proto.center.laterObservers.remove(record, of: proto) }
            ObserverLife.releaseMemory(record)
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

    private init(replaced: [Observer], leavesLongList: Bool, lastCalls: LastCallDelivery?) {
        self.replaced = replaced
        self.leavesLongList = leavesLongList
        self.lastCalls = lastCalls
    }

    /// - Parameters:
    ///   - leavesLongList: The registration replaced a list that may take megabytes.
    ///   - lastCalls: Nil if the observer has no sticky method.
    /// - Returns: Nil if no work remains.
    @inline(__always)
    static func make(
        replaced: [Observer] = [], leavesLongList: Bool, lastCalls: LastCallDelivery?
    ) -> RegistrationRemainder? {
        guard !replaced.isEmpty || leavesLongList || lastCalls != nil else { return nil }
        return RegistrationRemainder(replaced: replaced, leavesLongList: leavesLongList, lastCalls: lastCalls)
    }

    func run() {
        Observer.finishRemoval(replaced)
        if leavesLongList { Reclaimer.collect() }
        lastCalls?.run()
    }
}
