/// Reads C declarations and prototypes: the cursor over the tokens, and the errors. The
/// grammar is in the extensions.
struct DeclarationParser {
    let lexer: Lexer
    /// The tokens of the text without harmless attributes.
    private let tokens: [SourceToken]
    /// The attributes that are not harmless, by the offsets of their lists.
    private let attributes: [Int: String]
    /// Grows as declarations are read. `TypeScope.declare` takes it over, and undoes the changes of a refused text.
    var scope: TypeScope
    private var position = 0
    private var nesting = 0
    /// The number of operands around the cursor that C does not evaluate, so their results need not be defined.
    var unevaluated = 0

    init(_ text: String, scope: TypeScope, longest: Int = SyntaxLimits.textBytes) {
        lexer = Lexer(text, longest: longest)
        (tokens, attributes) = AttributeReader.read(lexer)
        self.scope = scope
    }

    // MARK: The cursor

    var current: SourceToken { tokens[position] }

    /// The token some places ahead; the end token repeats.
    func lookahead(_ distance: Int) -> SourceToken {
        tokens[min(position + distance, tokens.count - 1)]
    }

    var isAtEnd: Bool { current.kind == .end }

    mutating func advance() {
        if position + 1 < tokens.count { position += 1 }
    }

    func text(of token: SourceToken) -> String { lexer.text(of: token) }

    /// The word at the cursor; empty if the token is not a word.
    var word: String { current.kind == .name ? text(of: current) : "" }

    func isAt(_ symbol: SourceSymbol) -> Bool { current.kind == .symbol(symbol) }

    mutating func take(_ symbol: SourceSymbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: SourceSymbol, _ purpose: String) throws(SyntaxError) {
        guard take(symbol) else { throw unexpected("'\(symbol.rawValue)' \(purpose)") }
    }

    // MARK: Bounds

    mutating func enter() throws(SyntaxError) {
        nesting += 1
        if nesting > SyntaxLimits.nesting {
            throw SyntaxError(
                .limit, "parentheses and braces nest at most \(SyntaxLimits.nesting) deep", column: current.column)
        }
    }

    mutating func leave() { nesting -= 1 }

    func requireBounded(_ type: CType, column: Int) throws(SyntaxError) {
        if let excess = type.measure.excess { throw SyntaxError(.limit, excess, column: column) }
    }

    // MARK: Refusals

    /// Reads a name. `role` describes the named object for messages.
    mutating func takeName(_ role: String) throws(SyntaxError) -> SourceToken {
        let token = current
        guard token.kind == .name else { throw unexpected("the name of \(role)") }
        try refuseReserved(token, asNameOf: role)
        advance()
        return token
    }

    func refuseReserved(_ token: SourceToken, asNameOf role: String) throws(SyntaxError) {
        let word = text(of: token)
        if let refusal = refusal(of: token) { throw refusal }
        guard Vocabulary.isReserved(word) else { return }
        throw SyntaxError(.syntax, "'\(word)' is a word of C and cannot name \(role)", column: token.column)
    }

    /// The error for an unexpected token at the cursor.
    func unexpected(_ expected: String) -> SyntaxError {
        if let refusal = refusal(of: current) { return refusal }
        let found = isAtEnd ? "the text ends" : "'\(text(of: current))' stands"
        return SyntaxError(.syntax, "\(found) where \(expected) is expected", column: current.column)
    }

    /// The error for a token that is wrong in any position; nil for other tokens.
    func refusal(of token: SourceToken) -> SyntaxError? {
        if let attribute = attributes[token.start] {
            return SyntaxError(
                .unsupported,
                "attribute '\(attribute)' is not supported, it may change how the value is passed; remove it",
                column: token.column)
        }
        return switch token.kind {
        case .end: lexer.failure
        case .name:
            Vocabulary.refused[text(of: token)].map {
                SyntaxError(.unsupported, "'\(text(of: token))' \($0.sentence)", column: token.column)
            }
        case .string: SyntaxError(.syntax, "a string has no place in a declaration", column: token.column)
        case .symbol(.hash):
            SyntaxError(
                .syntax, "preprocessor lines are not read; give the text as the preprocessor leaves it",
                column: token.column)
        case .symbol(let symbol): refusal(of: symbol).map { SyntaxError(.unsupported, $0, column: token.column) }
        default: nil
        }
    }

    private func refusal(of symbol: SourceSymbol) -> String? {
        switch symbol {
        case .ampersand, .andAnd: "references are C++; use a pointer"
        case .scope: "'::' is C++; use a C type"
        case .less: "templates are C++; use a C type"
        case .attribute: "these attributes cannot be read; remove them"
        case .caret: "blocks are not supported; use a function pointer and a context"
        default: nil
        }
    }
}
