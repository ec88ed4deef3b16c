extension DeclarationParser {
    /// `(void)`, `()`, or types with or without names.
    mutating func parseParameterList() throws(SyntaxError) -> ParameterList {
        try enter()
        let open = current
        advance()
        var list = ParameterList()
        if !isAt(.closingParenthesis), !takeVoid() {
            try parseEntries(into: &list)
        }
        guard take(.closingParenthesis) else {
            if isAtEnd, lexer.failure == nil {
                throw SyntaxError(.syntax, "this '(' is never closed", column: open.column)
            }
            throw unexpected("',' or ')' after a parameter")
        }
        leave()
        return list
    }

    private mutating func takeVoid() -> Bool {
        guard word == "void", lookahead(1).kind == .symbol(.closingParenthesis) else { return false }
        advance()
        return true
    }

    private mutating func parseEntries(into list: inout ParameterList) throws(SyntaxError) {
        repeat {
            if isAt(.ellipsis) {
                list.ellipsisColumn = current.column
                advance()
                return
            }
            if list.entries.count == SyntaxLimits.parameters {
                throw SyntaxError(
                    .limit, "a function has at most \(SyntaxLimits.parameters) parameters", column: current.column)
            }
            let entry = try parseParameter()
            try requireNewName(entry, in: list)
            list.entries.append(entry)
        } while take(.comma)
    }

    private func requireNewName(_ entry: ParameterList.Entry, in list: ParameterList) throws(SyntaxError) {
        guard let token = entry.name else { return }
        let name = text(of: token)
        for other in list.entries {
            guard let known = other.name, text(of: known) == name else { continue }
            throw SyntaxError(.syntax, "two parameters are named '\(name)'; rename one", column: token.column)
        }
    }

    private mutating func parseParameter() throws(SyntaxError) -> ParameterList.Entry {
        let specifiers = try parseSpecifiers(.parameter)
        var declarator = try parseDeclarator(.optional("a parameter"))
        let mark = try takeOutermostMark(&declarator)
        let type = try build(specifiers, declarator)
        // The type is checked before the text after the parameter is read, because a misspelt type is the likely reason
        // for a stray word.
        try requireParameter(type, specifiers, declarator)
        try refuseDefaultArgument()
        return ParameterList.Entry(
            name: declarator.name, type: decayed(type), column: specifiers.column, mark: mark,
            extent: extent(of: type, declarator))
    }

    /// The length of an array, which may come from a typedef.
    private func extent(of type: QualifiedType, _ declarator: Declarator) -> (count: Int, isStatic: Bool)? {
        guard case .array(_, let count?) = type.unaliased.type else { return nil }
        if case .array(_, let isStatic)? = declarator.derivations.first?.kind { return (count, isStatic) }
        return (count, false)
    }

    /// The mark at the outermost star or after the name, removed from the declarator.
    private func takeOutermostMark(_ declarator: inout Declarator) throws(SyntaxError) -> BufferMark? {
        var mark = declarator.mark
        declarator.mark = nil
        if let first = declarator.derivations.first, case .pointer(let qualifiers, let inner?) = first.kind {
            if let mark { throw SyntaxError(.syntax, "the length of this pointer is given twice", column: mark.column) }
            mark = inner
            declarator.derivations[0] = Declarator.Derivation(kind: .pointer(qualifiers, nil), column: first.column)
        }
        return mark
    }

    private func requireParameter(
        _ type: QualifiedType, _ specifiers: Specifiers, _ declarator: Declarator
    ) throws(SyntaxError) {
        switch type.unaliased.type {
        case .void:
            throw SyntaxError(
                .unsupported, "a parameter cannot be void; write '(void)' alone for none, or 'void *'",
                column: specifiers.column)
        case .opaque(let name):
            if isIdentifierList(declarator) { throw oldStyle(specifiers.column) }
            try requireKnown(name, specifiers.column)
        default: break
        }
    }

    /// `int f(a, b) int a, b;`: names alone, and declarations after the parenthesis.
    private func isIdentifierList(_ declarator: Declarator) -> Bool {
        guard declarator.name == nil, declarator.derivations.isEmpty else { return false }
        var ahead = 0
        while true {
            let next = lookahead(ahead)
            switch next.kind {
            case .symbol(.closingParenthesis): return lookahead(ahead + 1).kind == .name
            case .symbol(.comma), .name: ahead += 1
            default: return false
            }
        }
    }

    private func oldStyle(_ column: Int) -> SyntaxError {
        SyntaxError(
            .unsupported, "write the types of the parameters in the parentheses; C no longer has the old style",
            column: column)
    }

    private func refuseDefaultArgument() throws(SyntaxError) {
        guard isAt(.equals) else { return }
        throw SyntaxError(.syntax, "default arguments are C++; remove it", column: current.column)
    }

    /// Arrays and functions are passed as pointers. Qualifiers of the copy itself are dropped where
    /// they cannot matter to the caller.
    private func decayed(_ type: QualifiedType) -> QualifiedType {
        switch type.unaliased.type {
        case .array(let element, _): QualifiedType(.pointer(to: element))
        case .function: QualifiedType(.pointer(to: QualifiedType(type.type)))
        default: type
        }
    }
}
