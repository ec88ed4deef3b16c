internal import CPealSupport
import PealCall

/// The services of a center.
final class ServiceBook: Sendable {
    /// The center's number.
    private let center: UInt64
    private let state = Guarded(State())

    private enum BuiltIns { case missing, making, made }

    private struct State {
        var isEnded = false
        var builtIns = BuiltIns.missing
        /// In order of registration, with holes where services have ended.
        var numbers: [UInt64] = []
        var holes = 0
        var providers: [String: Providers] = [:]
        var lastOrder: UInt64 = 0
        /// The thread that ends a session.
        var session: UInt?

        mutating func provide(_ proto: String, _ service: Service, by change: Int) {
            let old = providers[proto] ?? Providers()
            let new = Providers(count: old.count + change, numbers: old.numbers ^ service.number)
            providers[proto] = new.count > 0 ? new : nil
            ServiceNames.setProvider(new.only, of: proto, in: service.center.number, insteadOf: old.only)
        }
    }

    init(center: UInt64) {
        self.center = center
    }

    /// The services that provide a protocol. The numbers of all, xor-ed: of a single one, its own.
    struct Providers {
        var count = 0
        var numbers: UInt64 = 0

        var only: UInt64? { count == 1 ? numbers : nil }
    }

    /// Makes a number and a place for a service, and has it found.
    func add(
        _ record: ServiceMemory.Pointer, in center: Center, owner: Owner?
    ) throws(Failure) -> Service {
        let service = try makeService(record, in: center, owner)
        do throws(Failure) {
            try state.withLock { (state) throws(Failure) in
                guard !state.isEnded else { throw .endedCenter }
                guard ServiceNames.find(service.name, in: center.number) == nil else {
                    throw Failure(.conflict, "there is a service \(service.name) in this center already; unregister it, or choose another name")
                }
                try owner?.add(service)
                do throws(Failure) { try ServiceNames.add(service) } catch {
                    owner?.remove(service)
                    throw error
                }
                state.numbers.append(service.number)
                for name in service.protocols { state.provide(name, service, by: 1) }
            }
        } catch {
            _ = service.readState { service.close(&$0) }
            Handles.services.remove(service.number)
            throw error
        }
        return service
    }

    private func makeService(
        _ record: ServiceMemory.Pointer, in center: Center, _ owner: Owner?
    ) throws(Failure) -> Service {
        do throws(Failure) {
            return try Handles.services.insert { (number) throws(Failure) in
                guard let place = peal_service_place_of(number) else { throw .outOfMemory }
                peal_service_open(place, number, record)
                return Service(number: number, center: center, owner: owner, record: record, place: place)
            }
        } catch {
            ServiceMemory.free(record)
            throw error
        }
    }

    /// Has it found no more. Before the service closes.
    func remove(_ service: Service) {
        state.withLock { state in
            ServiceNames.remove(service)
            for name in service.protocols { state.provide(name, service, by: -1) }
            state.holes += 1
            guard state.holes > 64, 2 * state.holes > state.numbers.count else { return }
            state.numbers.removeAll { $0 == service.number || Handles.services.find($0) == nil }
            state.holes = 0
        }
    }

    func find(_ name: String) throws(Failure) -> Service? {
        if name.hasPrefix(ServiceDescription.reserved) { try makeBuiltIns() }
        return try findKnown(name)
    }

    /// Without those of peal's own that nobody looked for yet.
    func findKnown(_ name: String) throws(Failure) -> Service? {
        let isEnded = state.withLock { $0.isEnded }
        guard !isEnded else { throw .endedCenter }
        return ServiceNames.find(name, in: center).flatMap(Handles.services.find)
    }

    func provider(of proto: String) throws(Failure) -> (number: UInt64, count: Int) {
        if BuiltInServices.methods(of: proto) != nil { try makeBuiltIns() }
        return try state.withLock { (state) throws(Failure) in
            guard !state.isEnded else { throw .endedCenter }
            let providers = state.providers[proto] ?? Providers()
            return (providers.numbers, providers.count)
        }
    }

    /// In order of registration.
    ///
    /// The numbers are copied one by one: the thread sanitizer does not see the counts of the runtime, by which
    /// an array is known to be read by nobody else.
    var all: [Service] {
        state.withLock { state in state.numbers.map { $0 } }.compactMap(Handles.services.find)
    }

    func nextOrder() -> UInt64 {
        state.withLock { state in
            state.lastOrder += 1
            return state.lastOrder
        }
    }

    /// With the lock of `CreationMonitor`: the thread that ends a session.
    var session: UInt? {
        get { state.withLock { $0.session } }
        set { state.withLock { $0.session = newValue } }
    }

    /// Takes no more services.
    func close() {
        state.withLock { $0.isEnded = true }
    }

    /// Makes peal's own services, once.
    func makeBuiltIns() throws(Failure) {
        let known = state.withLock { $0.builtIns }
        guard known != .made else { return }
        guard claimBuiltIns() else { return }
        var failure: Failure?
        do throws(Failure) {
            if let center = Handles.centers.find(center) { try BuiltInServices.register(in: center) }
        } catch {
            failure = error
        }
        state.withLock { $0.builtIns = failure == nil ? .made : .missing }
        CreationMonitor.signal()
        if let failure { throw failure }
    }

    /// Waits while another thread makes them.
    ///
    /// - Returns: True if the caller has to make them.
    private func claimBuiltIns() -> Bool {
        var isClaimed = false
        _ = CreationMonitor.wait {
            state.withLock { state in
                isClaimed = state.builtIns == .missing
                if isClaimed { state.builtIns = .making }
                return isClaimed || state.builtIns == .made
            }
        }
        return isClaimed
    }
}
