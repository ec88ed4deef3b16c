/// What peal's own services tell of the parts of a center.
extension Center {
    /// Services that others registered.
    var userServices: [Service] {
        services.all.filter { !$0.record.pointee.is_built_in }
    }

    var protocolCount: Int {
        let count = try? withState { (state) throws(Failure) in state.protocols.count }
        return count ?? 0
    }

    /// Observers that conform to a protocol; 0 where it is unknown.
    func countObservers(of proto: String) -> Int {
        let count = try? withState { (state) throws(Failure) in
            state.protocolsByName[proto].map { state[$0].conformerCount }
        }
        return (count ?? nil) ?? 0
    }

    /// Whether anybody hears "Protocol.method".
    func isObserved(_ title: String) -> Bool {
        guard let dot = title.firstIndex(of: ".") else { return false }
        let isObserved = try? withState { (state) throws(Failure) in
            guard let proto = state.protocolsByName[String(title[..<dot])] else { return false }
            let name = String(title[title.index(after: dot)...])
            return try state.method(named: name, of: proto).countObservers() > 0
        }
        return isObserved ?? false
    }

    /// Lazy observers whose service was not created for them yet.
    var pendingLazyObserverCount: Int { 0 }

    var moduleCount: Int { knownModules?.count ?? 0 }

    /// As the interface numbers them.
    var modulesState: Int32 { Int32((knownModules?.phase ?? .idle).rawValue) }

    /// nil before the mediator is needed.
    private var knownModules: Mediator? { mediator.withLock { $0.mediator } }
}
