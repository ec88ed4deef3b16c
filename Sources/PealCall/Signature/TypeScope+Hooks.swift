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
        if hooks.isEmpty { return nil }
        var type = type
        while case .alias(let alias) = type {
            if let known = hooks[alias.name] { return known }
            type = alias.target.type
        }
        return type.managedName.flatMap { hooks[$0] }
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
