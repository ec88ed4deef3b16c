internal import CPealSupport

/// A registration of an observer, for callers that read or store it. It retains the memory of the record.
public final class Observation: PointerHolder {
    nonisolated(unsafe) let record: Observer

    init(_ record: Observer) {
        self.record = record
        peal_observer_retain_memory(record)
    }

    deinit {
        ObserverLife.releaseMemory(record)
    }

    public var id: UInt64 { record.pointee.id }

    var gate: UnsafeMutablePointer<UInt32> { record.gate }

    var proto: PealProtocol { record.proto }

    /// The methods under which it is listed. Call with no lock held.
    var methods: [Method] {
        let tables = record.tables
        guard tables.later != nil else { return tables.methods }
        return (try? proto.center.withState { (_) throws(Failure) in tables.currentMethods }) ?? tables.methods
    }

    var queue: Queue? { record.queue }

    var owner: Owner? { record.owner }

    /// The state of a registration that names a service. This observation is then the placeholder.
    var lazy: LazyObserver? { record.lazyObserver }

    func close() -> Bool { record.close() }

    func unlist() { record.unlist() }
}

extension Failure {
    public static let staleObservation = Failure(
        .handle,
        "the observation's handle is invalid: zero, never created, or already ended; keep the handle that registering filled"
    )
}
