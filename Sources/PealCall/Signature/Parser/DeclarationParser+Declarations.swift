extension DeclarationParser {
    /// Any number of declarations of types, up to the end of the text.
    mutating func parseDeclarations() throws(SyntaxError) {
        var isEmpty = true
        while !isAtEnd {
            if take(.semicolon) { continue }
            try parseDeclaration()
            isEmpty = false
        }
        if let failure = lexer.failure { throw failure }
        if isEmpty { throw unexpected("a declaration of a type") }
    }

    private mutating func parseDeclaration() throws(SyntaxError) {
        if word == "typedef" {
            advance()
            return try parseTypedef()
        }
        let specifiers = try parseSpecifiers(.declaration)
        if isAt(.semicolon) || isAtEnd {
            try announce(specifiers)
            return try endDeclaration()
        }
        if let refusal = refusal(of: current) { throw refusal }
        if case .opaque(let name) = specifiers.base.type { throw unknownType(name, column: specifiers.column) }
        let column = current.kind == .symbol(.brace) ? specifiers.column : current.column
        throw SyntaxError(
            .syntax, "only structs, unions, enums and typedefs are declared; no variable and no function",
            column: column)
    }

    /// `struct point;` declares that such a struct exists. A definition was added when it was read.
    private mutating func announce(_ specifiers: Specifiers) throws(SyntaxError) {
        switch specifiers.base.type {
        case .structure(let structure) where structure.isTagged:
            if scope.tags[structure.name] == nil {
                try add(.structure(nil, structure.kind), structure.name, specifiers.column)
            }
        case .enumeration(let enumeration) where enumeration.isTagged || !enumeration.constants.isEmpty:
            break
        case .opaque(let name): throw unknownType(name, column: specifiers.column)
        default:
            throw SyntaxError(.syntax, "this declares nothing; give it a name", column: specifiers.column)
        }
    }

    private mutating func endDeclaration() throws(SyntaxError) {
        if let failure = isAtEnd ? lexer.failure : nil { throw failure }
        if !isAtEnd { try expect(.semicolon, "after a declaration") }
    }

    private mutating func parseTypedef() throws(SyntaxError) {
        var specifiers = try parseSpecifiers(.declaration)
        var declarators: [Declarator] = []
        repeat {
            declarators.append(try parseDeclarator(.required("a type")))
        } while take(.comma)
        // Checked before the end of the declaration: a misspelt type explains a stray word. Behind a pointer any name
        // is accepted.
        if case .opaque(let name) = specifiers.base.type,
            !isAtEnd && !isAt(.semicolon) || !declarators.allSatisfy({ $0.hasPointer })
        {
            throw unknownType(name, column: specifiers.column)
        }
        nameUntagged(&specifiers, declarators)
        for declarator in declarators {
            guard let name = declarator.name else { continue }
            let type = try build(specifiers, declarator)
            try declare(Alias(name: text(of: name), target: type), name)
        }
        try endDeclaration()
    }

    /// A struct or enum without a tag is identified by the first name that denotes the type itself.
    private func nameUntagged(_ specifiers: inout Specifiers, _ declarators: [Declarator]) {
        guard let token = declarators.first(where: { $0.derivations.isEmpty })?.name else { return }
        let name = text(of: token)
        switch specifiers.base.type {
        case .structure(let structure) where structure.name.isEmpty:
            specifiers.base.type = .structure(
                Structure(structure.kind, name: name, isTagged: false, body: structure.body))
        case .enumeration(let enumeration) where enumeration.name.isEmpty:
            specifiers.base.type = .enumeration(enumeration.named(name))
        default: break
        }
    }

    // MARK: Declaring again

    private mutating func declare(_ alias: Alias, _ token: SourceToken) throws(SyntaxError) {
        if scope.constants[alias.name] != nil {
            throw SyntaxError(.conflict, "'\(alias.name)' is an enumerator already", column: token.column)
        }
        if let excess = alias.measure.depth > SyntaxLimits.typeDepth ? TypeMeasure.tooDeep : nil {
            throw SyntaxError(.limit, excess, column: token.column)
        }
        let known = scope.typedefs[alias.name] ?? StandardTypes.fixedAlias(named: alias.name)
        if let known {
            guard let difference = known.firstDifference(from: alias) else { return }
            throw SyntaxError(.conflict, "'\(alias.name)' is declared already: \(difference)", column: token.column)
        }
        if let excess = scope.add(alias) { throw SyntaxError(.limit, excess, column: token.column) }
    }

    mutating func declare(_ tag: TypeScope.Tag, _ token: SourceToken) throws(SyntaxError) {
        let name = text(of: token)
        if let known = scope.tags[name] {
            guard known.word == tag.word else {
                throw SyntaxError(
                    .conflict, "'\(name)' is declared as \(known.word), not as \(tag.word)", column: token.column)
            }
            if let difference = known.firstDifference(from: tag) {
                throw SyntaxError(
                    .conflict, "'\(tag.word) \(name)' is declared already: \(difference)", column: token.column)
            }
        }
        try add(tag, name, token.column)
    }

    private mutating func add(_ tag: TypeScope.Tag, _ name: String, _ column: Int) throws(SyntaxError) {
        if let excess = scope.add(tag, named: name) { throw SyntaxError(.limit, excess, column: column) }
    }
}
