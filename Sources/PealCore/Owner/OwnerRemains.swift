internal import CPealSupport

/// What an owner has at one moment, in arrays of its own: the members change meanwhile.
struct OwnerRemains: Sendable {
    /// The thread that ends the members now; 0: none.
    let ender: UInt
    let observations: [Observation]
    let endings: [any RecordKeeper]
    let queues: [Queue]
    let protocols: [PealProtocol]
    let properties: [Property]
    let types: [Owner.ManagedType]
    let completions: [Completion]
    let modules: [Module]
    let services: [Service]
    let timers: [Timer]
    let proxies: [Proxy]

    init(_ members: Owner.Members) {
        ender = members.ender
        observations = Array(members.observations.values)
        endings = Array(members.endings.values)
        queues = Array(members.queues.values)
        protocols = members.protocols
        properties = members.properties
        types = members.types
        completions = Array(members.completions.values)
        modules = Array(members.modules.values)
        services = Array(members.services.values)
        timers = Array(members.timers.values)
        proxies = Array(members.proxies.values)
    }

    /// All that is called by a record.
    var keepers: [any RecordKeeper] {
        (observations as [any RecordKeeper] + timers + proxies + endings).flatMap(\.keepers)
    }

    /// Whether the calling thread ends the owner, or is in a call of it that waiting would wait for.
    var isCalledHere: Bool {
        let thread = UInt(bitPattern: peal_thread_own_slot())
        return ender != 0 && ender == thread
            || isCalled(on: thread)
            || queues.contains(where: \.mailbox.isInUseHere)
            || services.contains(where: \.isRunningHere)
            || modules.contains(where: \.isHeldUpHere)
    }

    /// Whether a thread is in a call of an observer, a timer, a proxy's target or a completion. The thread waits,
    /// or is the calling one.
    func isCalled(on thread: UInt) -> Bool {
        guard let slot = UnsafeMutablePointer<peal_thread>(bitPattern: thread) else { return false }
        return runsRecord(on: slot) || completions.contains { $0.isCalling(on: thread) }
    }

    private func runsRecord(on thread: UnsafeMutablePointer<peal_thread>) -> Bool {
        let keepers = keepers
        defer { extendLifetime(keepers) }
        return keepers.compactMap(\.ownRecord).contains { peal_thread_runs(thread, $0.gate) }
    }
}
