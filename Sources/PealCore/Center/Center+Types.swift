public import PealCall

extension Center {
    public func declareTypes(_ text: String) throws(Failure) {
        try keepInState { (state) throws(Failure) in
            do throws(SyntaxError) {
                try state.types.declare(text)
            } catch {
                throw Failure(error, in: "type declaration")
            }
        }
    }

    public func layout(of type: String) throws(Failure) -> Layout {
        // Under the lock: a copy that exists longer would make the next declaration copy all names.
        try withState { (state) throws(Failure) in
            do throws(SyntaxError) {
                return try state.types.layout(of: type)
            } catch {
                throw Failure(error, in: "type")
            }
        }
    }

    /// Registers how pointed-to values of a type are captured. The same registration again changes nothing.
    public func manageType(_ type: String, by hooks: TypeHooks, for owner: Owner? = nil) throws(Failure) {
        try keepInState { (state) throws(Failure) in
            let isNew: Bool
            do throws(SyntaxError) {
                isNew = try state.types.manage(type, by: hooks)
            } catch {
                throw Failure(error, in: "type")
            }
            do throws(Failure) {
                try owner?.add(OwnedType(center: self, name: type))
            } catch {
                // The owner's code may be unloaded.
                if isNew { _ = try? state.types.unmanage(type) }
                throw error
            }
            if isNew { hooks.register() }
        }
    }

    /// Sets the codec of a type whose functions are registered. The same codec again changes nothing.
    public func setCodec(_ codec: TypeCodec, for type: String, owner: Owner? = nil) throws(Failure) {
        let isKnown = try keepInState { (state) throws(Failure) in
            let isNew: Bool?
            do throws(SyntaxError) {
                isNew = try state.types.setCodec(codec, for: type)
            } catch {
                throw Failure(error, in: "type")
            }
            guard isNew == true, let owner else { return isNew != nil }
            do throws(Failure) {
                try owner.add(OwnedCodec(center: self, name: type, codec: codec))
            } catch {
                _ = try? state.types.removeCodec(codec, of: type)
                throw error
            }
            return true
        }
        guard isKnown else {
            throw Failure(
                .notFound,
                "no functions are registered for the type \(type); before its codec, register those that retain or copy"
                    + " it, by peal_type_set_object or peal_type_set_copy")
        }
    }

    /// Removes a codec, if the type still has it.
    func removeCodec(_ codec: TypeCodec, of type: String) {
        _ = try? withState { (state) throws(Failure) in
            try? state.types.removeCodec(codec, of: type)
        }
    }

    /// The codecs of all types.
    var codecs: [TypeCodec] {
        (try? withState { (state) throws(Failure) in Array(state.types.codecs.values) }) ?? []
    }

    /// The functions and the codec of a type, if there are any.
    public func functions(of type: String) throws(Failure) -> (hooks: TypeHooks, codec: TypeCodec?)? {
        try withState { (state) throws(Failure) in
            do throws(SyntaxError) {
                return try state.types.functions(of: type)
            } catch {
                throw Failure(error, in: "type")
            }
        }
    }

    /// Removes the registration of a type's functions. Later methods do not use these functions. Earlier methods no
    /// longer capture by them, unless another type has the same functions.
    ///
    /// - Returns: The functions. No captured call uses them once no capture is outstanding.
    @discardableResult
    public func unmanageType(_ type: String) throws(Failure) -> TypeHooks {
        let hooks = try withState { (state) throws(Failure) in
            do throws(SyntaxError) {
                return try state.types.unmanage(type)
            } catch {
                throw Failure(error, in: "type")
            }
        }
        guard let hooks else { throw Failure(.notFound, "no functions are registered for the type \(type)") }
        hooks.unregister()
        return hooks
    }
}
