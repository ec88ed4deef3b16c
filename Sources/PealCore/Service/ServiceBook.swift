internal import CPealSupport
import PealCall
internal import Synchronization

/// The services of a center.
final class ServiceBook: Sendable {
    /// The center's id.
    let center: UInt64
    /// Guarded by the lock of services. The lock also makes each access exclusive, so exclusivity is not checked at run
    /// time.
    @exclusivity(unchecked) private nonisolated(unsafe) var state = State()

    private enum BuiltIns: Equatable { case missing, making(by: LiveThread), made }

    private struct State {
        var isEnded = false
        var builtIns = BuiltIns.missing
        /// In order of registration, with gaps where services have ended.
        var ids: [UInt64] = []
        var holes = 0
        /// The thread that is ending a session.
        var session: LiveThread?
        /// The number of instances that were created.
        var lastOrder: UInt64 = 0
    }

    private let events = Atomic<Bool>(false)

    /// Runs `body` with the state, under the lock of services.
    @inline(__always)
    private func withState<Value, Mistake: Error>(
        _ body: (inout State) throws(Mistake) -> Value
    ) throws(Mistake) -> Value {
        try ServiceNames.locked { () throws(Mistake) in try body(&state) }
    }

    /// True if there may be observers of service events.
    var hasEvents: Bool { events.load(ordering: .acquiring) }

    func expectObservers() {
        events.store(true, ordering: .releasing)
    }

    init(center: UInt64) {
        self.center = center
    }

    /// The number of services that provide a protocol, and the xor of their ids. If there is one service, the xor is
    /// its id.
    struct Providers {
        var numbers: UInt64 = 0
        // The last member, so that a member after this structure can share its word.
        var count: Int32 = 0

        var only: UInt64? { count == 1 ? numbers : nil }
    }

    /// Makes an id and an element for a service, and lets lookups find it. The center may end with the record if this
    /// fails, or with the service if another thread unregisters it.
    ///
    /// - Returns: The id, and the service if there may be observers of its registration.
    @_optimize(speed)
    func add(_ record: ServiceMemory.Pointer, owner: Owner?) throws(Failure) -> (id: UInt64, observed: Service?) {
        let service = try makeService(record, owner)
        let id = service.with { $0.id }
        do throws(Failure) {
            return try withState { (state) throws(Failure) in
                guard !state.isEnded else { throw .endedCenter }
                try service.with { (service) throws(Failure) in try list(service, in: &state) }
                return (id, hasEvents ? service.object : nil)
            }
        } catch {
            Handles.services.remove(id)
            throw error
        }
    }

    /// The caller must hold the lock of services.
    private func list(_ service: Service, in state: inout State) throws(Failure) {
        try ServiceNames.add(service)
        // The owner is the last, because a thread that retires it may end the service as soon as it has the lock.
        do throws(Failure) { try service.owner?.add(service) } catch {
            ServiceNames.remove(service)
            throw error
        }
        state.ids.append(service.id)
        peal_service_open(service.element, service.id, service.record)
    }

    private func makeService(_ record: ServiceMemory.Pointer, _ owner: Owner?) throws(Failure) -> Borrowed<Service> {
        do throws(Failure) {
            return try Handles.services.insertBorrowed { (id) throws(Failure) in
                guard peal_service_element_of(id) != nil else { throw .outOfMemory }
                return Service(id: id, book: Borrowed(self), owner: owner, record: record)
            }
        } catch {
            ServiceMemory.free(record)
            throw error
        }
    }

    /// Removes a closed service from lookups by name. The caller must hold the lock of services.
    func remove(_ service: Service) {
        ServiceNames.remove(service)
        state.holes += 1
        guard state.holes > 64, 2 * state.holes > state.ids.count else { return }
        state.ids.removeAll { ServiceNames.registered($0) == nil }
        state.holes = 0
    }

    func find(_ name: UnsafePointer<CChar>) throws(Failure) -> Service? {
        if ServiceDescription.isReserved(name) { try makeBuiltIns() }
        return try findKnown(name)
    }

    /// Finds a service. Finds peal's own services only if a caller has looked for one before.
    func findKnown(_ name: UnsafePointer<CChar>) throws(Failure) -> Service? {
        if let found = ServiceNames.find(name, peal_name_hash(center, name), in: center) { return found }
        let isEnded = withState { $0.isEnded }
        guard !isEnded else { throw .endedCenter }
        return nil
    }

    func provider(of proto: String, in center: Center) throws(Failure) -> (id: UInt64, count: Int) {
        if BuiltInServices.methods(of: proto) != nil { try makeBuiltIns() }
        let known = try center.withState { (state) throws(Failure) in state.protocolsByName[proto] }
        guard let known else { return (0, 0) }
        return try withState { (state) throws(Failure) in
            guard !state.isEnded else { throw .endedCenter }
            return (known.providers.numbers, Int(known.providers.count))
        }
    }

    /// In order of registration.
    ///
    /// The ids are copied one by one. The thread sanitizer does not see the counts of the runtime, which prove that
    /// no other thread reads an array.
    var all: [Service] {
        withState { state in state.ids.map { $0 } }.compactMap(Handles.services.find)
    }

    /// The number of registered services; more by those that were just removed.
    var count: Int { withState { $0.ids.count } }

    /// The caller must hold the lock of services.
    func nextOrder() -> UInt64 {
        state.lastOrder += 1
        return state.lastOrder
    }

    /// The thread that is ending a session. The caller must hold the lock of `CreationMonitor`.
    var session: LiveThread? {
        get { withState { $0.session } }
        set { withState { $0.session = newValue } }
    }

    /// Accepts no more services.
    func close() {
        withState { $0.isEnded = true }
    }

    /// Makes peal's own services, once.
    func makeBuiltIns() throws(Failure) {
        let known = withState { $0.builtIns }
        guard known != .made else { return }
        guard claimBuiltIns() else { return }
        var failure: Failure?
        do throws(Failure) {
            if let center = Handles.centers.find(center) { try BuiltInServices.register(in: center) }
        } catch {
            failure = error
        }
        withState { $0.builtIns = failure == nil ? .made : .missing }
        CreationMonitor.signal()
        if let failure { throw failure }
    }

    /// Waits while another thread makes peal's own services.
    ///
    /// - Returns: True if the caller must make them.
    private func claimBuiltIns() -> Bool {
        var isClaimed = false
        _ = CreationMonitor.wait {
            withState { state in
                isClaimed =
                    switch state.builtIns {
                    case .missing: true
                    case .making(let thread): thread.isLost
                    case .made: false
                    }
                if isClaimed { state.builtIns = .making(by: .current) }
                return isClaimed || state.builtIns == .made
            }
        }
        return isClaimed
    }
}
