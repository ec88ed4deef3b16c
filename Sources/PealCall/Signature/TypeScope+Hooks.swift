extension TypeScope {
    /// Registers how pointed-to values of a type are captured.
    ///
    /// - Parameter typeText: The pointed-to type: `struct widget`, a typedef of it, or a name
    ///   that is never declared.
    /// - Returns: True if the registration is new. False if the type already has the same functions.
    public mutating func manage(_ typeText: String, by hooks: TypeHooks) throws(SyntaxError) -> Bool {
        let name = try managedName(typeText)
        if let known = self.hooks[name] {
            guard known == hooks else {
                throw SyntaxError(
                    .conflict,
                    "'\(name)' is registered already, with other functions; a type has one set of"
                        + " functions", column: 1)
            }
            return false
        }
        if let excess = add(hooks, for: name) { throw SyntaxError(.limit, excess, column: 1) }
        return true
    }

    /// Removes a registration of `manage`. Methods that were read meanwhile keep it.
    public mutating func unmanage(_ typeText: String) throws(SyntaxError) -> TypeHooks? {
        removeHooks(for: try managedName(typeText))
    }

    /// The functions that capture a pointed-to value of `type`, if there are any. A name that was not declared when its
    /// functions were registered may have become a typedef since.
    public func hooks(of type: CType) -> TypeHooks? {
        hooks.isEmpty ? nil : nameOfHooks(of: type).flatMap { hooks[$0] }
    }

    /// The functions and the codec of a type, if there are any.
    public func functions(of typeText: String) throws(SyntaxError) -> (hooks: TypeHooks, codec: TypeCodec?)? {
        var parser = DeclarationParser(typeText, scope: self)
        guard let name = nameOfHooks(of: try parser.parseWholeTypeName()), let hooks = hooks[name] else { return nil }
        return (hooks, codecs[name])
    }

    /// Sets the codec of a type that has functions.
    ///
    /// - Returns: True if the codec is new. False if the type already has it. Nil if the type has no functions.
    public mutating func setCodec(_ codec: TypeCodec, for typeText: String) throws(SyntaxError) -> Bool? {
        let name = try managedName(typeText)
        if hooks[name] == nil { return nil }
        if let known = codecs[name] {
            if known == codec { return false }
            throw SyntaxError(
                .conflict, "'\(name)' has another codec already; a type has one codec", column: 1)
        }
        store(codec, for: name)
        return true
    }

    /// Removes a codec, unless the type has another one meanwhile.
    public mutating func removeCodec(_ codec: TypeCodec, of typeText: String) throws(SyntaxError) {
        let name = try managedName(typeText)
        if codecs[name] == codec { store(nil, for: name) }
    }

    /// The name under which the functions of a type are registered.
    private func nameOfHooks(of type: CType) -> String? {
        var type = type
        while case .alias(let alias) = type {
            if hooks[alias.name] != nil { return alias.name }
            type = alias.target.type
        }
        return type.managedName
    }

    private func managedName(_ typeText: String) throws(SyntaxError) -> String {
        var parser = DeclarationParser(typeText, scope: self)
        let type = try parser.parseWholeTypeName()
        if let name = type.unaliased.managedName { return name }
        throw SyntaxError(
            .unsupported,
            "'\(type)' is no struct or union, nor a typedef of one; name the pointed-to type,"
                + " as 'struct widget'", column: 1)
    }
}

extension CType {
    /// The name under which a type is registered; nil where it cannot be.
    fileprivate var managedName: String? {
        switch self {
        case .structure(let structure): structure.name.isEmpty ? nil : structure.spelling
        case .opaque(let name): name
        default: nil
        }
    }
}
