internal import CPealSupport
import PealCall

/// An isolated namespace of protocols and observers.
public final class Center: Sendable {
    public let id: UInt64
    let services: ServiceBook
    private let state = Guarded(CenterState())
    // Guarded by the center's lock. They are not in its state, which some calls copy.
    /// nil until the protocol `PealPresence` is defined.
    @exclusivity(unchecked) nonisolated(unsafe) var presence: Presence?
    @exclusivity(unchecked) nonisolated(unsafe) var laterObservers = LaterObservers()
    /// Removed observers and replaced lists that wait for the next collection.
    @exclusivity(unchecked) nonisolated(unsafe) var leaving = Reclaimer.Leaving()
    /// The mediator, under a lock of its own, because it is created while the center's lock is not held.
    let mediator = Guarded(MediatorSlot())

    init(id: UInt64) {
        self.id = id
        services = ServiceBook(center: id)
    }

    /// The center that all parts of the process share.
    public static let shared: Center = {
        guard let center = try? Handles.centers.insert({ Center(id: $0) }) else {
            fatalError("the first center always finds a number")
        }
        return center
    }()

    public static func make() throws(Failure) -> Center {
        // The shared center has the first id, even if another center is used before it.
        _ = shared
        return try Handles.centers.insert { Center(id: $0) }
    }

    /// Runs `body` with the state, under the center's lock. No user code may run in `body`.
    func withState<Value: Sendable>(
        _ body: (inout CenterState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withStateInline(body)
    }

    /// The same, inlined.
    @inline(__always)
    func withStateInline<Value: Sendable>(
        _ body: (inout CenterState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) -> Value in
            guard !state.isEnded else { throw .endedCenter }
            return try body(&state)
        }
    }

    /// Runs `body` with the state, for objects that the center keeps until its end. Objects of the shared center are
    /// not leaks.
    func keepInState<Value: Sendable>(
        _ body: (inout CenterState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try makePermanent { () throws(Failure) in try withState(body) }
    }

    /// Allocations in `body` belong to the center. Allocations of the shared center are not leaks.
    func makePermanent<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let isPermanent = self === Center.shared
        if isPermanent { peal_leaks_ignore_begin() }
        defer { if isPermanent { peal_leaks_ignore_end() } }
        return try body()
    }

    /// Ends the center: every handle into it is stale, and no observer is called any more.
    public func end() throws(Failure) {
        guard self !== Center.shared else {
            throw Failure(
                .state, "the default center cannot be ended; end only centers that peal_center_create has created")
        }
        // Before the handle is stale: modules that stop may use it.
        let isStopped = mediator.withLock({ $0.mediator })?.stopForEnd() ?? true
        guard Handles.centers.remove(id) != nil else {
            throw .endedCenter
        }
        let modules = mediator.withLock { slot in
            slot.isClosed = true
            return slot.mediator.take()
        }
        Signals.unbindAll(of: self)
        modules?.releaseAll(isStopped: isStopped)
        services.end()
        let remains = state.withLock { state in
            presence = nil
            laterObservers = LaterObservers()
            leaving.end()
            return state.end()
        }
        remains.finishRemoval()
    }
}
