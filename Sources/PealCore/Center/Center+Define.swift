import PealCall

extension Center {
    /// Defines a protocol, returns the one that has an equal definition, or adds methods to it.
    ///
    /// - Parameter owner: The owner that defines it. The protocol ends with the last of its owners.
    /// - Returns: The protocol and the methods of the description, in its order.
    public func define(
        _ description: ProtocolDescription, for owner: Owner? = nil
    ) throws(Failure) -> (proto: PealProtocol, methods: [Method]) {
        for name in [description.name] + description.adopts { try defineBuiltIn(name) }
        return try add(description, for: owner)
    }

    /// Defines the built-in protocol of this name, if there is one, before a caller can define another of that name.
    func defineBuiltIn(_ name: String) throws(Failure) {
        guard let description = BuiltInProtocols.description(of: name) else { return }
        let isDefined = try withState { (state) throws(Failure) in state.protocolsByName[name] != nil }
        guard !isDefined else { return }
        // Before the protocol can have observers.
        if name == ServiceEvents.proto { services.expectObservers() }
        _ = try add(description, for: nil)
    }

    /// Returns a built-in protocol, and its methods in the order of its text.
    func builtIn(_ name: String) throws(Failure) -> (proto: PealProtocol, methods: [Method]) {
        let proto = try findProtocol(name)
        return (proto, try proto.methods())
    }

    private func add(
        _ description: ProtocolDescription, for owner: Owner?
    ) throws(Failure) -> (proto: PealProtocol, methods: [Method]) {
        try keepInState { (state) throws(Failure) in
            let declarations = state.sharing(try description.declarations(in: state.types))
            let known = state.protocolsByName[description.name]
            if let known { try state.checkSame(known, description, declarations) }
            let proto = if let known { known } else { try state.add(description, to: self) }
            do throws(Failure) {
                try owner?.add(proto)
                let rank = state[proto].own.count
                try state.addMethods(Array(declarations.dropFirst(rank)), rank: rank, to: proto, isNew: known == nil)
            } catch {
                if known == nil { state.discard(proto) }
                throw error
            }
            if known == nil, description.name == Presence.name { state.beginPresence(proto) }
            state[proto].addDefiner(owner?.id ?? 0)
            return (proto, Array(state[proto].own.prefix(declarations.count)))
        }
    }

    /// Removes an owner from a protocol's owners. With the last of them the protocol and its observers end, unless
    /// another protocol adopts it.
    func removeDefiner(_ proto: PealProtocol, of owner: UInt64) {
        let remains = try? withState { (state) throws(Failure) -> CenterState.Remains in
            guard state[proto].removeDefiner(owner), state[proto].hasNoDefiner, state[proto].adopters.isEmpty
            else { return CenterState.Remains() }
            return state.end(proto)
        }
        remains?.finishRemoval()
    }

    public func findProtocol(_ name: String) throws(Failure) -> PealProtocol {
        try defineBuiltIn(name)
        return try withState { (state) throws(Failure) in
            guard let proto = state.protocolsByName[name] else {
                let hint = state.hint(for: name) ?? "define it first, with peal_protocol_define"
                throw Failure(.notFound, "there is no protocol \(name) in this center; \(hint)")
            }
            MethodNames.add(proto)
            return proto
        }
    }
}

extension CenterState {
    /// The protocol whose name is similar to an unknown one, as a question.
    func hint(for name: String) -> String? {
        NearestName.find(name, among: protocolsByName.count, in: Array(protocolsByName.keys))
            .map { "did you mean \($0)?" }
    }

    /// Refuses a description that is neither the known protocol nor an older or newer version of it.
    fileprivate func checkSame(
        _ known: PealProtocol, _ description: ProtocolDescription, _ declarations: [MethodDeclaration]
    ) throws(Failure) {
        guard known.adopted.map({ $0.name }) == description.adopts else {
            throw Failure(
                .conflict,
                "protocol \(known.name) is defined already and adopts [\(known.adopted.map { $0.name }.joined(separator: ", "))], not [\(description.adopts.joined(separator: ", "))]"
            )
        }
        let own = self[known].own
        for (method, declaration) in zip(own, declarations) {
            guard let difference = method.declaration.firstDifference(from: declaration) else { continue }
            throw Failure(.conflict, "protocol \(known.name) is defined already, and differs: \(difference)")
        }
        let version = self[known].version
        for declaration in declarations.dropFirst(own.count) where declaration.since <= version {
            throw Failure(
                .conflict,
                "protocol \(known.name) is defined already, without \(declaration.signature.name); declare a new method with since(\(version + 1)) or later"
            )
        }
    }

    fileprivate mutating func add(
        _ description: ProtocolDescription, to center: Center
    ) throws(Failure) -> PealProtocol {
        var adopted: [PealProtocol] = []
        for name in description.adopts {
            guard let proto = protocolsByName[name] else {
                throw Failure(
                    .notFound,
                    "protocol \(description.name) adopts \(name), which is not defined; \(hint(for: name) ?? "define it first")"
                )
            }
            guard !adopted.contains(proto) else {
                throw Failure(.conflict, "protocol \(description.name) adopts \(name) twice")
            }
            adopted.append(proto)
        }
        let proto = try Handles.protocols.insert { id in
            PealProtocol(id: id, name: description.name, center: center, adopted: adopted)
        }
        protocolsByName[proto.name] = proto
        self[proto].begin()
        do throws(Failure) {
            try addMethods(of: adopted, to: proto)
        } catch {
            discard(proto)
            throw error
        }
        for adopted in adopted { self[adopted].addAdopter(proto) }
        return proto
    }

    /// Adds the adopted methods to a new protocol. A method that is adopted by two paths is added once.
    private mutating func addMethods(of adopted: [PealProtocol], to proto: PealProtocol) throws(Failure) {
        let origins = proto.ancestors
        var made: [Method] = []
        defer { self[proto].add(made) }
        for method in origins.flatMap({ self[$0].own }) {
            let own = try Method.make(
                method.declaration, owner: proto, origin: method.origin, rank: method.rank)
            made.append(own)
        }
    }

    /// Ends a protocol that no other protocol adopts, with its observers.
    mutating func end(_ proto: PealProtocol) -> Remains {
        var remains = Remains()
        // An observer that another thread has closed is released by that thread, which does not count it any more.
        for observer in proto.registeredObservers.all {
            count(observer, of: proto, as: -1)
            if observer.close() { remains.observers.append(observer) }
        }
        // They may belong to the protocol, and are collected with its observers.
        proto.center.leaving.retire()
        proto.center.laterObservers.removeAll(of: proto)
        proto.center.presence?.noteRemoved(proto)
        for method in self[proto].all { method.close() }
        drop(proto)
        // An adopted protocol whose owners have all been retired was kept for this one.
        for adopted in proto.adopted {
            let state = self[adopted]
            guard state.isDefined, state.hasNoDefiner, state.adopters.isEmpty else { continue }
            remains.observers += end(adopted).observers
        }
        return remains
    }

    /// Removes a protocol whose definition has failed. No other thread has seen it.
    mutating func discard(_ proto: PealProtocol) {
        for method in self[proto].all { method.close() }
        drop(proto)
    }

    private mutating func drop(_ proto: PealProtocol) {
        for adopted in proto.adopted { self[adopted].removeAdopter(proto) }
        self[proto].end()
        protocolsByName[proto.name] = nil
        proto.retire()
    }

    /// Adds methods to a protocol, and to all that adopt it.
    ///
    /// - Parameter rank: The rank of the first of them.
    mutating func addMethods(
        _ declarations: [MethodDeclaration], rank: Int, to proto: PealProtocol, isNew: Bool = false
    ) throws(Failure) {
        var made: [Method] = []
        let listed: [LaterListing]
        let subprotocols = subprotocols(of: proto)
        do throws(Failure) {
            for (index, declaration) in declarations.enumerated() {
                for owner in subprotocols {
                    made.append(
                        try Method.make(declaration, owner: owner, origin: proto, rank: rank + index))
                }
            }
            listed = try listLaterObservers(under: made, of: subprotocols)
        } catch {
            for method in made { method.close() }
            throw error
        }
        for (index, owner) in (made.isEmpty ? [] : subprotocols).enumerated() {
            let methods = stride(from: index, to: made.count, by: subprotocols.count).map { made[$0] }
            // A name that led to an adopted method may now lead to a new one, or to none.
            let names = Set(methods.map { $0.name })
            for method in self[owner].all where names.contains(method.name) { MethodNames.remove(method) }
            self[owner].add(methods)
            // Tables without the new methods may lack a method that is now required.
            self[owner].tables.removeAll()
        }
        noteGrowth(of: proto, and: isNew || made.isEmpty ? [] : subprotocols, isNew: isNew)
        noteListed(listed, in: proto.center)
    }

    private func noteGrowth(of proto: PealProtocol, and subprotocols: [PealProtocol], isNew: Bool) {
        guard let presence = proto.center.presence else { return }
        if isNew { presence.noteDefined(proto) }
        if !subprotocols.isEmpty { presence.noteGrown(proto) }
        for subprotocol in subprotocols where subprotocol != proto { presence.noteGrown(subprotocol) }
    }

    /// A protocol and all that adopt it, directly or not, each once, in the order of their ids.
    func subprotocols(of proto: PealProtocol) -> [PealProtocol] {
        var subprotocols: Set<PealProtocol> = [proto]
        var open = [proto]
        while let next = open.popLast() {
            for adopter in self[next].adopters where subprotocols.insert(adopter).inserted { open.append(adopter) }
        }
        return subprotocols.ordered { SortKey($0.id) }
    }
}
