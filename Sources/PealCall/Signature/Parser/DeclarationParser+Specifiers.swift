/// The words in front of a declarator: the type that everything after it is built upon.
struct Specifiers {
    var base: QualifiedType
    /// Where the type is named.
    var column: Int
}

extension DeclarationParser {
    /// The position of specifiers. It decides whether they may define a struct or an enum.
    enum DeclarationContext {
        case declaration, member, method, parameter, typeName

        var defines: Bool { self == .declaration || self == .member }

        var ignoredWords: Set<String> {
            switch self {
            case .method: Vocabulary.ignoredOfFunction
            case .parameter: Vocabulary.ignoredOfParameter
            case .declaration, .member, .typeName: []
            }
        }
    }

    /// The specifiers that have been read so far.
    private struct Gathered {
        var words = ArithmeticWords()
        var type: QualifiedType?
        var qualifiers: Qualifiers = []
        var column: Int?
        /// Qualifiers of pointers only.
        var ofPointer: SourceToken?
        var hasType: Bool { type != nil || !words.isEmpty }
    }

    private static let ofPointers = Qualifiers.nullability.union(.restrict)

    mutating func parseSpecifiers(_ context: DeclarationContext) throws(SyntaxError) -> Specifiers {
        var gathered = Gathered()
        let first = current
        while try takeSpecifier(&gathered, context) {}
        return try finish(gathered, first)
    }

    /// Takes one word into `gathered`; false where the declarator begins.
    private mutating func takeSpecifier(_ gathered: inout Gathered, _ context: DeclarationContext) throws(SyntaxError)
        -> Bool
    {
        guard current.kind == .name else { return false }
        let token = current
        let word = self.word
        if context.ignoredWords.contains(word) {
            advance()
            return true
        }
        if let refusal = refusal(of: token) { throw refusal }
        if word == "_Atomic", lookahead(1).kind == .symbol(.parenthesis) {
            try requireNoType(gathered, token)
            gathered.type = try parseAtomic()
            gathered.column = token.column
        } else if let qualifier = Vocabulary.qualifiers[word] {
            if Self.ofPointers.contains(qualifier) { gathered.ofPointer = token }
            gathered.qualifiers.insert(qualifier)
            advance()
        } else if let part = Vocabulary.arithmeticWords[word] {
            if gathered.type != nil { try requireNoType(gathered, token) }
            gathered.words.add(part)
            gathered.column = gathered.column ?? token.column
            advance()
        } else if Vocabulary.tags.contains(word) {
            try requireNoType(gathered, token)
            gathered.column = token.column
            gathered.type = QualifiedType(try parseTagged(word, context))
        } else if !gathered.hasType, !Vocabulary.isReserved(word) {
            gathered.column = token.column
            gathered.type = QualifiedType(scope.type(named: word) ?? .opaque(name: word))
            advance()
        } else {
            return false
        }
        return true
    }

    /// Refuses a second type in one declaration. The first type may be a misspelt word.
    private func requireNoType(_ gathered: Gathered, _ token: SourceToken) throws(SyntaxError) {
        guard gathered.hasType else { return }
        if case .opaque(let name)? = gathered.type?.type {
            throw unknownType(name, column: gathered.column ?? token.column)
        }
        throw SyntaxError(.syntax, "'\(text(of: token))' begins a second type; is a ',' missing?", column: token.column)
    }

    private func finish(_ gathered: Gathered, _ first: SourceToken) throws(SyntaxError) -> Specifiers {
        let column = gathered.column ?? first.column
        var base: QualifiedType
        if let type = gathered.type {
            base = type
        } else if !gathered.words.isEmpty {
            guard let type = gathered.words.type else {
                throw SyntaxError(.syntax, "these words together are no type", column: column)
            }
            base = QualifiedType(type)
        } else {
            if gathered.qualifiers.isEmpty { throw unexpected("a type") }
            throw SyntaxError(.syntax, "the type is missing; C no longer takes it for int", column: current.column)
        }
        if let token = gathered.ofPointer, !base.type.isPointer {
            if case .opaque(let name) = base.type { try requireKnown(name, column) }
            throw SyntaxError(.syntax, "'\(text(of: token))' belongs after a '*'", column: token.column)
        }
        base.qualifiers.formUnion(gathered.qualifiers)
        return Specifiers(base: base, column: column)
    }

    /// `_Atomic(type)`.
    private mutating func parseAtomic() throws(SyntaxError) -> QualifiedType {
        advance()
        try enter()
        try expect(.parenthesis, "after '_Atomic'")
        let (type, _) = try parseTypeName()
        try expect(.closingParenthesis, "after the type of '_Atomic'")
        leave()
        return QualifiedType(type.type, type.qualifiers.union(.atomic))
    }

    private mutating func parseTagged(_ word: String, _ context: DeclarationContext) throws(SyntaxError) -> CType {
        switch word {
        case "struct": try parseStructure(.structure, context)
        case "union": try parseStructure(.union, context)
        default: try parseEnumeration(context)
        }
    }

    /// A type without a name: `const char *`, `int (*)(void)`.
    mutating func parseTypeName() throws(SyntaxError) -> (type: QualifiedType, column: Int) {
        let specifiers = try parseSpecifiers(.typeName)
        let declarator = try parseDeclarator(.nameless)
        return (try build(specifiers, declarator), specifiers.column)
    }
}
