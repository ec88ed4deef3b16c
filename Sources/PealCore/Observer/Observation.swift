internal import CPealSupport

/// One registration of an observer.
public final class Observation: Sendable {
    public let number: UInt64
    let key: ObserverKey
    let tables: ObserverTables
    let queue: Queue?
    let owner: Owner?
    /// Of one that names a service: this is the place of its instance.
    let lazy: LazyObserver?
    // Owned with the observer's life: valid as long as this object is.
    nonisolated(unsafe) let record: UnsafeMutablePointer<ObserverRecord>

    init(
        number: UInt64, key: ObserverKey, tables: ObserverTables, queue: Queue?, owner: Owner?,
        lazy: LazyObserver? = nil, record: UnsafeMutablePointer<ObserverRecord>
    ) {
        self.number = number
        self.key = key
        self.tables = tables
        self.queue = queue
        self.owner = owner
        self.lazy = lazy
        self.record = record
        peal_observer_own(record)
    }

    deinit {
        ObserverLife.disown(record)
    }

    var gate: UnsafeMutablePointer<UInt32> { record.gate }

    var proto: PealProtocol { tables.proto }

    /// The methods under which it is listed.
    var methods: [Method] { tables.methods }

    /// Marks the observer as removed and makes its handle stale. Of all who try, a broadcast that calls
    /// it once among them, one succeeds: that one takes it out of the lists.
    func close() -> Bool {
        guard ObserverGate.remove(gate) else { return false }
        Handles.observations.retire(number)
        lazy?.close()
        return true
    }

    /// Takes a closed observer out of all lists, drops its calls that wait, and lets go of it.
    func unlist() {
        leaveLists()
        letGo()
    }

    /// The last step for one that is in no list any more.
    func letGo() {
        Self.letGo([self])
    }

    /// The same for some.
    static func letGo(_ observations: [Observation]) {
        for observation in observations {
            observation.lazy?.end()
            observation.leaveRegisters()
            observation.queue?.mailbox.dropDead()
        }
        Reclaimer.end(observations.filter { $0.isWaitedFor }.map { $0.record })
        Reclaimer.retire(observations.filter { !$0.isWaitedFor }.map { .observer($0.record) })
        Reclaimer.collectBacklog()
    }

    /// Before the record can end.
    func leaveRegisters() {
        // Registers know the place and not its instance.
        guard !isInstance else { return }
        queue?.forget(self)
    }

    var isWeak: Bool { record.pointee.retain != nil }

    /// Whether it observes for a lazy one, without a handle of its own.
    var isInstance: Bool { record.pointee.lazy != nil }

    /// Takes it out of all lists: no broadcast that begins after this reaches it.
    func leaveLists() {
        _ = try? proto.center.withState { (state) throws(Failure) in state.unlist(self) }
    }

    /// Whether its end does more than free memory, and so must not wait for the next collection.
    var isWaitedFor: Bool { record.pointee.destroy != nil || queue != nil || isInstance }
}

extension Failure {
    public static let staleObservation = Failure(
        .handle, "the observation is zero, made up, or ended already; keep the handle that registering filled")
}

extension CenterState {
    /// Takes an observer that has ended out of its lists.
    ///
    /// - Parameter replaced: Methods whose lists have been replaced by lists without it.
    mutating func unlist(_ observation: Observation, besides replaced: Set<MethodPlace> = []) {
        // With its protocol its lists have ended.
        guard self[observation.proto].isDefined else { return }
        if !observation.isInstance { forget(observation) }
        for listing in observation.tables.listings where replaced.isEmpty || !replaced.contains(listing.place) {
            SnapshotTransaction.remove(observation.record, from: listing.place)
        }
    }

    /// Drops a registration from what the center knows of its observers.
    mutating func forget(_ observation: Observation) {
        self[observation.proto].forget(observation)
        count(observation, as: -1)
    }

    mutating func remember(_ observation: Observation) {
        self[observation.proto].observations[observation.key.subject, default: []].append(observation)
        count(observation, as: 1)
    }

    /// Counts one observer more or less for all protocols that it conforms to.
    mutating func count(_ observation: Observation, as difference: Int) {
        self[observation.proto].count(observation, as: difference)
        for member in observation.proto.ancestors { self[member].count(observation, as: difference) }
    }
}

extension ProtocolState {
    fileprivate func count(_ observation: Observation, as difference: Int) {
        conformerCount += difference
        if observation.isWeak { weakConformerCount += difference }
    }

    fileprivate func forget(_ observation: Observation) {
        guard let place = observations.index(forKey: observation.key.subject) else { return }
        if let index = observations.values[place].index(of: observation) { observations.values[place].remove(at: index) }
        if observations.values[place].isEmpty { observations.remove(at: place) }
    }
}

extension [Observation] {
    /// Finds an observation among those of one subject, which stand in the order of their registration.
    fileprivate func index(of observation: Observation) -> Int? {
        // Those that came last go first, where many end in a row; most subjects have one.
        if last === observation { return count - 1 }
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].record.pointee.order < observation.record.pointee.order { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] === observation ? low : nil
    }
}
