extension DeclarationParser {
    mutating func parsePrototypeAlone() throws(SyntaxError) -> Signature {
        let signature = try parsePrototype()
        try endMethod()
        return signature
    }

    /// At most a `;`, then the end.
    mutating func endMethod() throws(SyntaxError) {
        if isAt(.brace) {
            throw SyntaxError(.syntax, "a method is declared without a body; end it here", column: current.column)
        }
        guard take(.semicolon) else {
            if isAtEnd, lexer.failure == nil { return }
            throw unexpected("',', ';' or the end")
        }
        if isAtEnd, lexer.failure == nil { return }
        if let refusal = refusal(of: current) { throw refusal }
        throw SyntaxError(.syntax, "one text declares one method; nothing follows its ';'", column: current.column)
    }

    /// A prototype up to its closing parenthesis.
    mutating func parsePrototype() throws(SyntaxError) -> Signature {
        let specifiers = try parseSpecifiers(.method)
        if isAt(.parenthesis), case .opaque(let name) = specifiers.base.type {
            throw SyntaxError(
                .syntax, "'\(name)' has no result type; write 'void \(name)(...)' for none", column: specifiers.column)
        }
        let declarator = try parseDeclarator(.required("a method"))
        guard let token = declarator.name else { throw unexpected("the name of a method") }
        let list = try ownList(declarator, specifiers, token)
        let result = try result(of: declarator, specifiers)
        if let column = list.ellipsisColumn {
            throw SyntaxError(
                .unsupported, "a method takes a fixed list of parameters; pass an array for '...'", column: column)
        }
        let parameters = try parameters(of: list)
        try requireOneCompletion(text(of: token), result.type, specifiers.column, list)
        try requireModest(result.type, parameters, column: token.column)
        return Signature(
            name: text(of: token), result: result.type, parameters: parameters,
            resultNullability: result.qualifiers.intersection(.nullability))
    }

    /// Requires that a completion is a parameter, that a method has at most one, and that such a method returns void.
    private func requireOneCompletion(
        _ name: String, _ result: CType, _ column: Int, _ list: ParameterList
    ) throws(SyntaxError) {
        if result.isCompletion {
            throw SyntaxError(
                .unsupported,
                "'\(name)' returns a completion, which is a parameter; return void and take a peal_completion",
                column: column)
        }
        let completions = list.entries.filter { $0.type.type.isCompletion }
        guard let first = completions.first else { return }
        guard completions.count == 1 else {
            throw SyntaxError(
                .unsupported, "'\(name)' has two completions, and a method has one; remove this one",
                column: completions[1].column)
        }
        guard result.isVoid else {
            throw SyntaxError(
                .unsupported,
                "'\(name)' has a completion and returns \(result); results come by the completion, so return void",
                column: first.column)
        }
    }

    /// The list that belongs to the method, next to its name.
    private func ownList(
        _ declarator: Declarator, _ specifiers: Specifiers, _ name: SourceToken
    ) throws(SyntaxError) -> ParameterList {
        if let mark = declarator.mark { throw misplaced(mark) }
        if let first = declarator.derivations.first {
            if case .function(let list) = first.kind { return list }
            let what = if case .array = first.kind { "an array" } else { "a pointer" }
            throw SyntaxError(
                .syntax, "'\(text(of: name))' is \(what), not a method; a method is its name and its parameters",
                column: name.column)
        }
        if case .opaque(let type) = specifiers.base.type { try requireKnown(type, specifiers.column) }
        throw unexpected("the '(' of the parameters")
    }

    private func result(of declarator: Declarator, _ specifiers: Specifiers) throws(SyntaxError) -> QualifiedType {
        let column = declarator.derivations.first?.column ?? specifiers.column
        let type = try build(specifiers, declarator.derivations.dropFirst())
        try requireResult(type, specifiers, column)
        return try byValue(type, column: specifiers.column)
    }

    private func parameters(of list: ParameterList) throws(SyntaxError) -> [Parameter] {
        var types: [CType] = []
        for entry in list.entries {
            let type = try byValue(entry.type, column: entry.column).type
            if let refusal = type.refusalAsParameter { throw SyntaxError(.unsupported, refusal, column: entry.column) }
            types.append(type)
        }
        var parameters: [Parameter] = []
        parameters.reserveCapacity(list.entries.count)
        for (entry, type) in zip(list.entries, types) {
            let ownership = try ownership(of: entry, type, list, types)
            parameters.append(
                Parameter(
                    name: entry.name.map { text(of: $0) }, type: type, ownership: ownership,
                    nullability: entry.type.qualifiers.intersection(.nullability)))
        }
        return parameters
    }

    /// Bounds the work of every later walk over the signature.
    private func requireModest(
        _ result: CType, _ parameters: [Parameter], column: Int
    ) throws(SyntaxError) {
        var whole = result.measure
        for parameter in parameters {
            let measure = parameter.type.measure
            whole.depth = max(whole.depth, measure.depth)
            whole.parts += measure.parts
        }
        if let excess = whole.excess { throw SyntaxError(.limit, excess, column: column) }
    }
}
