internal import CPealSupport
import PealCall

extension Center {
    /// Defines a property, or returns the one that has an equal definition.
    public func define(_ description: PropertyDescription) throws(Failure) -> Property {
        try description.check()
        return try keepInState { (state) throws(Failure) in
            let type = try PropertyType(description.type, of: description.name, in: state.types)
            let known = state.properties[description.name]
            if let known { try known.checkSame(type, description) }
            let property = if let known { known } else { try state.add(description, type, to: self) }
            do throws(Failure) {
                try description.owner?.add(property)
            } catch {
                if known == nil { state.discard(property) }
                throw error
            }
            state.properties[description.name] = property
            state[property.proto].addDefiner(description.owner?.id ?? 0)
            return property
        }
    }

    /// - Parameter type: The type that the caller expects; nil: any.
    public func findProperty(_ name: String, type: String?) throws(Failure) -> Property {
        try withState { (state) throws(Failure) in
            guard let property = state.properties[name] else {
                throw Failure(
                    .notFound, "there is no property \(name) in this center; define it first, with peal_property_define"
                )
            }
            guard let type else { return property }
            let wanted = try PropertyType(type, of: name, in: state.types)
            guard wanted.type == property.type.type else {
                throw Failure(.type, "property \(name) is \(property.typeText), not \(type)")
            }
            return property
        }
    }

    /// Ends a property, also if owners have defined it.
    func end(_ property: Property) throws(Failure) {
        let remains = try withState { (state) throws(Failure) in
            guard state.properties[property.name] === property else { throw .staleProperty }
            return state.end(property)
        }
        remains.finishRemoval()
    }

    /// Removes an owner from a property's definers. The property ends with its last definer.
    func removeDefiner(_ property: Property, of owner: UInt64) {
        let remains = try? withState { (state) throws(Failure) -> CenterState.Remains in
            guard state.properties[property.name] === property, state[property.proto].removeDefiner(owner),
                state[property.proto].hasNoDefiner
            else { return CenterState.Remains() }
            return state.end(property)
        }
        remains?.finishRemoval()
    }
}

extension Property {
    public func end() throws(Failure) { try center.end(self) }

    fileprivate func checkSame(_ type: PropertyType, _ description: PropertyDescription) throws(Failure) {
        guard self.type.type == type.type else {
            throw Failure(.conflict, "property \(name) is defined already, as \(typeText), not \(description.type)")
        }
        guard ignoresEqual == description.ignoresEqual else {
            throw Failure(
                .conflict,
                "property \(name) is defined already, \(ignoresEqual ? "with" : "without") PEAL_PROPERTY_IGNORE_EQUAL")
        }
    }
}

extension CenterState {
    fileprivate mutating func add(
        _ description: PropertyDescription, _ type: PropertyType, to center: Center
    ) throws(Failure) -> Property {
        let proto = try Handles.protocols.insert { id in
            PealProtocol(id: id, name: description.protocolName, center: center, adopted: [])
        }
        // The protocol is not listed by its name, because no caller defines, finds or adopts it.
        self[proto].begin(isOfProperty: true)
        do throws(Failure) {
            let property = try Property.make(description, type, center: center, proto: proto)
            do throws(Failure) {
                try makeTappedMethods(of: property)
            } catch {
                property.close()
                throw error
            }
            return property
        } catch {
            discard(proto)
            throw error
        }
    }

    /// Removes a property that no other thread has seen.
    fileprivate mutating func discard(_ property: Property) {
        property.close()
        discard(property.proto)
    }

    fileprivate mutating func end(_ property: Property) -> Remains {
        properties[property.name] = nil
        property.close()
        return end(property.proto)
    }
}

extension CenterState {
    /// Makes the methods that a tap sees. A tap reports a set even if the property has no observers.
    @inline(never)
    mutating func makeTappedMethods(of property: Property) throws(Failure) {
        guard peal_taps_exist() else { return }
        for kind in NotificationKind.allCases where property.proto.taps(of: kind.method) != 0 {
            try makeMethod(kind, of: property)
        }
    }

    /// Makes the method of a kind, unless it exists.
    @inline(never)
    mutating func makeMethod(_ kind: NotificationKind, of property: Property) throws(Failure) {
        guard !property.hasMethod(kind) else { return }
        let declarations = sharing([property.type.declaration(of: kind)])
        try addMethods(declarations, rank: Int(kind.rawValue), to: property.proto)
        guard let method = self[property.proto].own.last else { return }
        peal_property_set_method(property.element, kind.rawValue, method.id)
    }
}
