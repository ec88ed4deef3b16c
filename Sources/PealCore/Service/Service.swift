internal import CPealSupport
import PealCall

/// A registered service: its name, its functions, and the protocols that it provides.
public final class Service: Sendable {
    public let id: UInt64
    /// The services of the center. Unchecked: the record keeps the center.
    nonisolated(unsafe) let book: Borrowed<ServiceBook>
    let owner: Owner?
    // Owned; its changing members are atomic. It keeps the center.
    nonisolated(unsafe) let record: ServiceMemory.Pointer
    /// Guarded by the lock of services. The lock also makes each access exclusive, so exclusivity is not checked at run
    /// time.
    @exclusivity(unchecked) private nonisolated(unsafe) var state = State()

    struct State {
        /// True once it was unregistered.
        var isEnded = false
        /// True until the first instance takes over the record's second count.
        var hasSpareCount = true
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
        id: UInt64, book: Borrowed<ServiceBook>, owner: Owner?, record: ServiceMemory.Pointer
    ) {
        self.id = id
        self.book = book
        self.owner = owner
        self.record = record
        record.pointee.service = Borrowed(self).address
    }

    deinit {
        ServiceMemory.free(record)
    }

    public var name: String { String(cString: record.pointee.name) }

    /// Never unmapped, and this service's until it has ended. Written under the lock of services.
    var element: UnsafeMutablePointer<peal_service_element> { peal_service_element_of(id).unsafelyUnwrapped }

    var center: Center { Handles.centers.pinned(record.pointee.center).object }

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
        // The registration has another.
        if state.hasSpareCount { _ = peal_service_release(record, 1) }
        return true
    }

    /// Retains the functions and the context.
    func keep() {
        peal_service_keep(record)
    }

    /// Releases the functions and the context. The last release calls the service's release function; call with no lock
    /// held.
    ///
    /// - Returns: True if that was the last release.
    @discardableResult
    func release(_ times: UInt32 = 1) -> Bool {
        guard peal_service_release(record, times) else { return false }
        if let release = record.pointee.release { running { release(record.pointee.context) } }
        peal_label_remove(id)
        // The caller may have no counted reference. Until then the slot has one.
        let last = Handles.services.recycle(id)
        owner?.remove(self)
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
