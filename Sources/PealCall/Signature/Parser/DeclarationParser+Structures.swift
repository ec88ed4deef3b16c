extension DeclarationParser {
    /// Reads `struct point`, `struct point { … }` or `struct { … }`, or the same with `union`. The cursor is at the
    /// keyword.
    mutating func parseStructure(_ kind: Structure.Kind, _ context: DeclarationContext) throws(SyntaxError) -> CType {
        let keyword = current
        advance()
        let tag = isAt(.brace) ? nil : try takeName(kind.title)
        guard isAt(.brace) else {
            let name = tag.map { text(of: $0) } ?? ""
            try requireTag(kind.word, name, column: tag?.column ?? keyword.column)
            return .structure(Structure(kind, name: name, isTagged: true, body: nil))
        }
        try requireDefinable(kind.title, context, column: keyword.column)
        let body = try parseMembers(kind)
        guard let tag else { return .structure(Structure(kind, name: "", isTagged: false, body: body)) }
        try declare(.structure(body, kind), tag)
        return .structure(Structure(kind, name: text(of: tag), isTagged: true, body: nil))
    }

    /// One tag names one kind of type.
    func requireTag(_ word: String, _ name: String, column: Int) throws(SyntaxError) {
        guard let known = scope.tags[name], known.word != word else { return }
        throw SyntaxError(.conflict, "'\(name)' is declared as \(known.word), not as \(word)", column: column)
    }

    func requireDefinable(_ title: String, _ context: DeclarationContext, column: Int) throws(SyntaxError) {
        if context.defines { return }
        throw SyntaxError(
            .unsupported,
            "\(title) cannot be declared here;"
                + " declare it first with peal_type_declare", column: column)
    }

    private mutating func parseMembers(_ kind: Structure.Kind) throws(SyntaxError) -> StructureBody {
        try enter()
        let brace = current
        advance()
        var body = StructureBody(kind)
        var names: Set<String> = []
        while !isAt(.closingBrace) {
            if isAtEnd, lexer.failure == nil {
                throw SyntaxError(.syntax, "this '{' is never closed", column: brace.column)
            }
            try parseMember(into: &body, &names)
        }
        advance()
        leave()
        if body.members.isEmpty {
            throw SyntaxError(.unsupported, "an empty \(kind.word) is not C; give it a member", column: brace.column)
        }
        return body
    }

    private mutating func parseMember(
        into body: inout StructureBody, _ names: inout Set<String>
    ) throws(SyntaxError) {
        let specifiers = try parseSpecifiers(.member)
        if take(.semicolon) { return try addNameless(specifiers, to: &body, &names) }
        repeat {
            if isAt(.colon) { throw bitField() }
            let declarator = try parseDeclarator(.required("a member"))
            let type = try memberType(specifiers, declarator)
            if isAt(.colon) { throw bitField() }
            try add(declarator.name, type, specifiers.column, to: &body, &names)
        } while take(.comma)
        try expect(.semicolon, "after a member")
    }

    private func bitField() -> SyntaxError {
        SyntaxError(
            .unsupported, "bit-fields are not supported; use a whole integer and masks", column: current.column)
    }

    /// `struct { … };` or `union { … };` inside a struct. Its members are found as those of the outer struct are.
    private func addNameless(
        _ specifiers: Specifiers, to body: inout StructureBody, _ names: inout Set<String>
    ) throws(SyntaxError) {
        guard case .structure(let inner) = specifiers.base.type, let members = inner.body, inner.name.isEmpty else {
            // A misspelt type in front of a ';' reads as a type without a name.
            if case .opaque(let name) = specifiers.base.type { try requireKnown(name, specifiers.column) }
            throw SyntaxError(.syntax, "this member has no name", column: specifiers.column)
        }
        for name in members.visibleNames where !names.insert(name).inserted {
            throw SyntaxError(.syntax, "two members are named '\(name)'; rename one", column: specifiers.column)
        }
        try add(nil, specifiers.base, specifiers.column, to: &body, &names)
    }

    private func add(
        _ name: SourceToken?, _ type: QualifiedType, _ column: Int, to body: inout StructureBody,
        _ names: inout Set<String>
    ) throws(SyntaxError) {
        if let name, !names.insert(text(of: name)).inserted {
            throw SyntaxError(
                .syntax, "two members are named '\(text(of: name))'; rename one", column: name.column)
        }
        if let excess = body.append(name: name.map { text(of: $0) }, type: type) {
            throw SyntaxError(.limit, excess, column: name?.column ?? column)
        }
    }

    private func memberType(
        _ specifiers: Specifiers, _ declarator: Declarator
    ) throws(SyntaxError) -> QualifiedType {
        let column = declarator.derivations.first?.column ?? specifiers.column
        let type = try build(specifiers, declarator)
        switch type.unaliased.type {
        case .void: throw SyntaxError(.unsupported, "a member cannot be void; use 'void *'", column: specifiers.column)
        case .function:
            throw SyntaxError(.syntax, "a member cannot be a function; use a pointer to it", column: column)
        case .array(_, nil):
            throw SyntaxError(
                .unsupported, "flexible array members are not supported; use a pointer", column: column)
        default: break
        }
        let complete = try byValue(type, column: specifiers.column)
        try requireBounded(complete.type, column: specifiers.column)
        return complete
    }
}

extension StructureBody {
    /// The names of the members, including the members of nameless structs.
    var visibleNames: [String] {
        var names: [String] = []
        for member in members {
            if let name = member.name {
                names.append(name)
            } else if case .structure(let inner) = member.type.type, let body = inner.body {
                names += body.visibleNames
            }
        }
        return names
    }
}
