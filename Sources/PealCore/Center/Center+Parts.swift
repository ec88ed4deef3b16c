internal import CPealSupport

/// The facts about a center that peal's own services report.
extension Center {
    /// The services that programs registered.
    var userServices: [Service] {
        services.all.filter { !$0.record.pointee.is_built_in }
    }

    var protocolCount: Int {
        let count = try? withState { (state) throws(Failure) in state.protocolsByName.count + state.properties.count }
        return count ?? 0
    }

    /// Returns the number of observers that conform to a protocol; 0 if the center has no such protocol.
    func countObservers(of proto: String) -> Int {
        let conformers = try? withState { (state) throws(Failure) in
            state.protocolsByName[proto].map { state.conformers(of: $0) }
        }
        guard let (count, probe) = conformers ?? nil else { return 0 }
        return probe.countLiving(of: count)
    }

    /// Returns true if "Protocol.method" has observers.
    func isObserved(_ title: String) -> Bool {
        guard let dot = title.firstIndex(of: ".") else { return false }
        let method = try? withState { (state) throws(Failure) in
            try state.protocolsByName[String(title[..<dot])].map { (proto) throws(Failure) in
                try state.method(named: String(title[title.index(after: dot)...]), of: proto)
            }
        }
        guard let count = try? (method ?? nil)?.observerCount() else { return false }
        return count > 0
    }

    /// The number of lazy observers whose service has not been created for them yet.
    var pendingLazyObserverCount: Int {
        let count = try? withState { (state) throws(Failure) in
            state.protocols.reduce(0) { sum, proto in
                sum + proto.registeredObservers.all.count { $0.lazyObserver.map { $0.instance == nil } ?? false }
            }
        }
        return count ?? 0
    }

    var moduleCount: Int { knownModules?.count ?? 0 }

    /// The state of the modules, as a value of the interface.
    var modulesState: Int32 { Int32((knownModules?.phase ?? .idle).interfaceValue) }

    /// The mediator; nil until it is first needed.
    private var knownModules: Mediator? { mediator.withLock { $0.mediator } }
}
