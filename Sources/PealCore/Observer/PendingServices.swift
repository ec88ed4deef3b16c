internal import CPealSupport

/// The placeholders of a list whose services may have no instance in it yet.
struct PendingServices {
    private let elements: [UInt64]

    /// - Parameter reachesQueues: True if services whose calls go to queues are included.
    init(of list: Broadcast.List, reachesQueues: Bool = true) {
        let entries = UnsafeBufferPointer(start: peal_snapshot_entries(list), count: Int(peal_snapshot_count(list)))
        elements = entries.compactMap { entry in
            let gate = peal_gate_load(entry.gate)
            guard ObserverGate.isLazy(gate), gate & (ObserverGate.removed | ObserverGate.blocks) == 0,
                reachesQueues || entry.record.mailbox == nil
            else { return nil }
            return entry.record.pointee.id
        }
    }

    /// Requests the instances, in call order. The service reports a failed creation, and the next broadcast tries
    /// again. Call with no lock held, and no list protected.
    func create() {
        for id in elements {
            guard let placeholder = Handles.observations.find(id) else { continue }
            try? placeholder.lazy?.fill(placeholder)
        }
    }
}
