internal import CPealSupport
import PealCall
internal import Synchronization

/// A registered service: its name, its functions, and the protocols that it provides.
public final class Service: Sendable {
    public let id: UInt64
    let center: Center
    let owner: Owner?
    // Owned; its changing members are atomic.
    nonisolated(unsafe) let record: ServiceMemory.Pointer
    /// The strong count of the functions and the context: one for the registration, for a creation, and for each
    /// instance.
    private let keepers = Atomic<Int>(1)
    // Never unmapped, and this service's until it has ended. Written under the lock of services.
    nonisolated(unsafe) let element: UnsafeMutablePointer<peal_service_element>
    /// Guarded by the lock of services. The lock also makes each access exclusive, so exclusivity is not checked at run
    /// time.
    @exclusivity(unchecked) private nonisolated(unsafe) var state = State()

    struct State {
        /// True once it was unregistered.
        var isEnded = false
        var creation: Creation?
        var instance: Instance?
        var order: UInt64 = 0
        var creationTime: UInt64 = 0
        var creations = 0
        var failures: Failures?
        /// Nil before the first follower.
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
        id: UInt64, center: Center, owner: Owner?, record: ServiceMemory.Pointer,
        element: UnsafeMutablePointer<peal_service_element>
    ) {
        self.id = id
        self.center = center
        self.owner = owner
        self.record = record
        self.element = element
        record.pointee.service = Borrowed(self).address
    }

    deinit {
        ServiceMemory.free(record)
    }

    public var name: String { String(cString: record.pointee.name) }

    /// The services of the center, which this service retains.
    var book: Borrowed<ServiceBook> { Borrowed(center.services) }

    @inline(__always)
    func withState<Value: Sendable>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try ServiceNames.locked { () throws(Failure) in try body(&state) }
    }

    @inline(__always)
    func readState<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        ServiceNames.locked { body(&state) }
    }

    /// Runs `body` with the state. The caller must hold the lock of services.
    @inline(__always)
    func withLockedState<Value>(_ body: (inout State) throws(Failure) -> Value) throws(Failure) -> Value {
        try body(&state)
    }

    /// Sets the current instance. The caller must hold the lock of services.
    func publish(_ instance: Instance?, in state: inout State) {
        state.instance = instance
        if !state.isEnded { peal_service_publish(element, instance?.id ?? 0) }
    }

    /// Lets scopes find the instance without a lock from now on. The caller must hold the lock of services.
    func show(_ instance: Instance, in state: inout State) {
        guard state.instance?.id == instance.id else { return }
        instance.isShown = true
        peal_service_publish_to_scopes(element, instance.element)
    }

    /// Marks the service as ended, so that no lookup finds it or its instance. Returns false if it has ended already.
    /// The caller must hold the lock of services.
    func close(_ state: inout State) -> Bool {
        guard !state.isEnded else { return false }
        state.isEnded = true
        peal_service_close(element)
        book.with { $0.remove(self) }
        return true
    }

    /// Retains the functions and the context.
    func keep() {
        keepers.add(1, ordering: .relaxed)
    }

    /// Releases the functions and the context. The last release calls the service's release function; call with no lock
    /// held.
    ///
    /// - Returns: True if that was the last release.
    @discardableResult
    func release() -> Bool {
        guard keepers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
            CreationMonitor.signal()
            return false
        }
        if let release = record.pointee.release { running { release(record.pointee.context) } }
        peal_label_remove(id)
        // The caller may have no counted reference. Until then the slot has one.
        let last = Handles.services.recycle(id)
        owner?.remove(self)
        CreationMonitor.signal()
        return withExtendedLifetime(last) { true }
    }

    var isCreated: Bool { readState { $0.instance != nil } }
    var isEnded: Bool { readState { $0.isEnded } }

    /// Adds a follower, which is notified of ends. If the service has ended, the follower is notified at once. Call
    /// with no lock held.
    func add(_ follower: any ServiceFollower) {
        let isAdded = readState { state in
            guard !state.isEnded else { return false }
            state.followers = state.followers ?? [:]
            state.followers?[ObjectIdentifier(follower)] = follower
            return true
        }
        if !isAdded { follower.serviceDidEnd(self) }
    }
    func remove(_ follower: any ServiceFollower) {
        let left = readState { $0.followers?.removeValue(forKey: ObjectIdentifier(follower)) }
        withExtendedLifetime(left) {}
    }
}

/// An object that must be notified when an instance is removed: a lazy observer. It is called with no lock held.
protocol ServiceFollower: AnyObject, Sendable {
    /// Called before the instance loses its publication: it was removed, or its registration ended.
    func instanceWillEnd(_ service: Service)
    /// Called when the service was unregistered.
    func serviceDidEnd(_ service: Service)
}
