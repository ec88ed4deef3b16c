extension PealProtocol {
    /// Finds a method by "name" or "Protocol.name", its own before adopted ones.
    public func method(named name: String) throws(Failure) -> Method {
        try center.withState { (state) throws(Failure) in try state.method(named: name, of: self) }
    }

    /// The adopted methods, then its own.
    public func methods() throws(Failure) -> [Method] {
        try center.withState { (state) throws(Failure) in state[self].all }
    }

    public func version() throws(Failure) -> Int {
        try center.withState { (state) throws(Failure) in state[self].version }
    }

    /// The number of observers that conform to it, without those with dead targets.
    public func countObservers() throws(Failure) -> Int {
        let (count, probe) = try center.withState { (state) throws(Failure) in state.conformers(of: self) }
        return probe.countLiving(of: count)
    }
}

extension Method {
    /// The number of listed observers, blocked ones included, without those with dead targets.
    public func observerCount() throws(Failure) -> Int {
        let (count, probe) = try owner.center.withState { (_) throws(Failure) in self.listedObservers() }
        return probe.countLiving(of: count)
    }
}

extension CenterState {
    /// Finds a protocol by its name. From the second lookup on, no Swift string is made. `center` is the center's id.
    ///
    /// Mutating, because a caller would copy the whole state for it.
    ///
    /// - Returns: The protocol, which exists at least until the caller releases the center's lock.
    mutating func find(_ name: UnsafePointer<CChar>, in center: UInt64) -> Borrowed<PealProtocol>? {
        if let known = MethodNames.findProtocol(name, in: center).flatMap(Handles.protocols.locked) { return known }
        guard let proto = protocolsByName[String(cString: name)] else { return nil }
        MethodNames.add(proto)
        return Borrowed(proto)
    }

    func method(named name: String, of proto: PealProtocol) throws(Failure) -> Method {
        let named = self[proto].methods(named: name)
        if let own = named.first(where: { $0.origin == proto }) {
            MethodNames.add(own)
            return own
        }
        let found = named + methods(titled: name, of: proto)
        if let only = found.first, found.count == 1 {
            if only.name == name { MethodNames.add(only) }
            return only
        }
        if found.isEmpty {
            throw Failure(
                .notFound,
                "protocol \(proto.name) has no method \(name); it has \(Self.list(self[proto].all.map { $0.name }))")
        }
        throw Failure(
            .ambiguous,
            "protocol \(proto.name) adopts several methods \(name); name one of \(Self.list(found.map { $0.title }))")
    }

    /// The methods with a title as "Protocol.name". A name may have dots too.
    private func methods(titled title: String, of proto: PealProtocol) -> [Method] {
        guard let dot = title.firstIndex(of: ".") else { return [] }
        return self[proto].methods(named: String(title[title.index(after: dot)...]))
            .filter { $0.origin.name == title[..<dot] }
    }

    static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
