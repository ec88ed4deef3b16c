extension DeclarationParser {
    /// The rule for the name of a declarator, with the name's role for messages.
    enum Naming: Equatable {
        case required(String)
        case optional(String)
        case nameless
    }

    mutating func parseDeclarator(_ naming: Naming) throws(SyntaxError) -> Declarator {
        let leading = try takeMark(after: nil)
        if let leading, isAt(.star) { throw misplaced(leading) }
        var pointers: [Declarator.Derivation] = []
        while isAt(.star) { pointers.append(try parsePointer()) }

        var declarator = Declarator()
        if isAt(.parenthesis), opensGroup(naming) {
            try enter()
            advance()
            declarator = try parseDeclarator(naming)
            try expect(.closingParenthesis, "to close this declarator")
            leave()
        } else {
            declarator.name = try parseDeclaratorName(naming)
        }
        while let suffix = try parseSuffix() { declarator.derivations.append(suffix) }
        declarator.derivations += pointers.reversed()
        declarator.mark = try takeMark(after: declarator.mark ?? leading)
        if declarator.derivations.count > SyntaxLimits.typeDepth {
            let first = declarator.derivations[SyntaxLimits.typeDepth]
            throw SyntaxError(.limit, TypeMeasure.tooDeep, column: first.column)
        }
        return declarator
    }

    /// Reads the mark at the cursor, if any, and else returns the earlier mark. Two marks are an error.
    private mutating func takeMark(after known: BufferMark?) throws(SyntaxError) -> BufferMark? {
        guard Vocabulary.bufferMarks.contains(word) else { return known }
        guard known == nil else {
            throw SyntaxError(
                .syntax, "the length of this pointer is given already; remove '\(word)'", column: current.column)
        }
        return try parseBufferMark()
    }

    private mutating func parseDeclaratorName(_ naming: Naming) throws(SyntaxError) -> SourceToken? {
        guard current.kind == .name, !Vocabulary.bufferMarks.contains(word) else {
            if case .required(let role) = naming { throw unexpected("the name of \(role)") }
            return nil
        }
        switch naming {
        case .required(let role), .optional(let role): return try takeName(role)
        case .nameless: return nil
        }
    }

    /// `*`, the qualifiers after it, and the length of the pointed-to memory.
    private mutating func parsePointer() throws(SyntaxError) -> Declarator.Derivation {
        let column = current.column
        advance()
        var qualifiers: Qualifiers = []
        var mark: BufferMark?
        while current.kind == .name {
            if let qualifier = Vocabulary.qualifiers[word] {
                qualifiers.insert(qualifier)
                advance()
            } else if Vocabulary.bufferMarks.contains(word) {
                mark = try takeMark(after: mark)
            } else {
                break
            }
        }
        return Declarator.Derivation(kind: .pointer(qualifiers, mark), column: column)
    }

    /// Distinguishes `(*name)` from a parameter list. In C a known type after the parenthesis makes a list.
    private func opensGroup(_ naming: Naming) -> Bool {
        let next = lookahead(1)
        switch next.kind {
        case .symbol(.star), .symbol(.parenthesis), .symbol(.bracket), .symbol(.caret): return true
        case .name:
            if naming == .nameless { return false }
            let word = text(of: next)
            if case .required = naming { return true }
            guard !Vocabulary.isReserved(word), scope.alias(named: word) == nil else { return false }
            // `int (FILE *)`: the token after a name shows that it is a type, declared or not.
            switch lookahead(2).kind {
            case .symbol(.star), .symbol(.comma): return false
            case .name: return Vocabulary.bufferMarks.contains(text(of: lookahead(2)))
            default: return true
            }
        default: return false
        }
    }

    private mutating func parseSuffix() throws(SyntaxError) -> Declarator.Derivation? {
        let column = current.column
        if isAt(.parenthesis) {
            return Declarator.Derivation(kind: .function(try parseParameterList()), column: column)
        }
        guard take(.bracket) else { return nil }
        var isStatic = false
        while current.kind == .name {
            if word == "static" {
                isStatic = true
            } else if Vocabulary.qualifiers[word] == nil {
                break
            }
            advance()
        }
        if take(.closingBracket) {
            return Declarator.Derivation(kind: .array(count: nil, isStatic: false), column: column)
        }
        let count = try parseArrayLength()
        try expect(.closingBracket, "after the length of the array")
        return Declarator.Derivation(kind: .array(count: count, isStatic: isStatic), column: column)
    }

    private mutating func parseArrayLength() throws(SyntaxError) -> Int {
        let start = current
        if start.kind == .name, !Vocabulary.measures.contains(word), scope.constants[word] == nil || isAt(.star) {
            if let refusal = refusal(of: start) { throw refusal }
            throw variableLength(start)
        }
        if isAt(.star), lookahead(1).kind == .symbol(.closingBracket) { throw variableLength(start) }
        let value = try parseConstant().value
        guard value >= 1 else {
            throw SyntaxError(.unsupported, "an array has one element or more", column: start.column)
        }
        guard let count = Int(exactly: value) else {
            throw SyntaxError(.limit, "the array is too large", column: start.column)
        }
        return count
    }

    private func variableLength(_ token: SourceToken) -> SyntaxError {
        SyntaxError(
            .unsupported,
            "the length of an array must be a constant; for one that varies write a pointer"
                + " with __counted_by(name)", column: token.column)
    }

    /// `__counted_by(n)`: `n` names a parameter, or is a number.
    mutating func parseBufferMark() throws(SyntaxError) -> BufferMark {
        let (word, column) = (self.word, current.column)
        advance()
        try expect(.parenthesis, "after '\(word)'")
        let length = current
        let parsed: BufferMark.Length
        if length.kind == .name, scope.constants[self.word] == nil, !Vocabulary.measures.contains(self.word) {
            parsed = .named(text(of: try takeName("a parameter")))
        } else {
            let value = try parseConstant().value
            guard value >= 0 else {
                throw SyntaxError(.syntax, "a length is zero or more", column: length.column)
            }
            guard value <= SyntaxLimits.bufferBytes else {
                throw SyntaxError(.limit, "the buffer is too large", column: length.column)
            }
            parsed = .constant(Int(value))
        }
        guard take(.closingParenthesis) else {
            if isAtEnd || isAt(.comma) { throw unexpected("')' after the length") }
            throw SyntaxError(
                .unsupported, "a length is one parameter or one number, without an expression", column: current.column)
        }
        return BufferMark(word: word, length: parsed, column: column, lengthColumn: length.column)
    }
}
