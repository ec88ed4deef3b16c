internal import CPealSupport
import PealCall

/// A registration: a name, functions, the protocols that it provides.
public final class Service: Sendable {
    public let number: UInt64
    let center: Center
    let owner: Owner?
    // Owned; what changes in it is atomic.
    nonisolated(unsafe) let record: ServiceMemory.Pointer
    /// For each provision.
    let provided: [ObserverTables]
    // Lives forever, and is this service's until it has ended: written under the lock of the state.
    nonisolated(unsafe) let place: UnsafeMutablePointer<peal_service_place>
    private let state = Guarded(State())

    struct State {
        /// Registered no more.
        var isEnded = false
        /// What keeps it: the registration, a creation, instances.
        var keepers = 1
        /// Nothing of its code is called any more.
        var isGone = false
        var creation: Creation?
        var instance: Instance?
        var order: UInt64 = 0
        var creationTime: UInt64 = 0
        var creations = 0
        var failures: Failures?
        /// Nil before the first.
        var followers: Followers?
    }

    typealias Followers = [ObjectIdentifier: any ServiceFollower]

    final class Failures: Sendable {
        let count: Int
        let last: String

        init(count: Int, last: String) {
            self.count = count
            self.last = last
        }
    }

    init(
        number: UInt64, center: Center, owner: Owner?, memory: ServiceMemory,
        place: UnsafeMutablePointer<peal_service_place>
    ) {
        self.number = number
        self.center = center
        self.owner = owner
        record = memory.record
        provided = memory.tables
        self.place = place
    }

    deinit {
        ServiceMemory.free(record)
    }

    public var name: String { String(cString: record.pointee.name) }

    func withState<Value: Sendable>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) in try body(&state) }
    }

    func readState<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// With the lock of the state: what is got from now on.
    func publish(_ instance: Instance?, in state: inout State) {
        state.instance = instance
        if !state.isEnded { peal_service_publish(place, instance?.number ?? 0) }
    }

    /// The same: scopes find the instance without a lock from now on.
    func show(_ instance: Instance, in state: inout State) {
        guard state.instance === instance else { return }
        instance.isShown = true
        peal_service_show(place, instance.place)
    }

    /// The same: nothing is, any more.
    func close(_ state: inout State) -> Bool {
        guard !state.isEnded else { return false }
        state.isEnded = true
        peal_service_close(place)
        return true
    }

    /// One more reason to call its functions.
    func keep() {
        readState { $0.keepers += 1 }
    }

    /// One less. With the last the context is released; call with no lock held.
    ///
    /// - Returns: True if that was the last.
    @discardableResult
    func release() -> Bool {
        let release = record.pointee.release
        let isLast = readState { state in
            state.keepers -= 1
            state.isGone = state.keepers == 0 && release == nil
            return state.keepers == 0
        }
        guard isLast else {
            CreationMonitor.signal()
            return false
        }
        if let release {
            running { release(record.pointee.context) }
            readState { $0.isGone = true }
        }
        Handles.services.recycle(number)
        owner?.remove(self)
        CreationMonitor.signal()
        return true
    }

    var isGone: Bool { readState { $0.isGone } }
    var isCreated: Bool { readState { $0.instance != nil } }
    var isEnded: Bool { readState { $0.isEnded } }

    /// Has somebody told of what ends; at once, where the service has ended. Call with no lock held.
    func add(_ follower: any ServiceFollower) {
        let isAdded = readState { state in
            guard !state.isEnded else { return false }
            state.followers = state.followers ?? [:]
            state.followers?[ObjectIdentifier(follower)] = follower
            return true
        }
        if !isAdded { follower.serviceEnds(self) }
    }
    func remove(_ follower: any ServiceFollower) {
        let left = readState { $0.followers?.removeValue(forKey: ObjectIdentifier(follower)) }
        withExtendedLifetime(left) {}
    }
}

/// Who must know when an instance leaves: an observer that is an instance's. Told with no lock held.
protocol ServiceFollower: AnyObject, Sendable {
    /// Before the instance loses its base use: it was removed, or its registration ended.
    func instanceLeaves(_ service: Service)
    /// The service is registered no more.
    func serviceEnds(_ service: Service)
}
