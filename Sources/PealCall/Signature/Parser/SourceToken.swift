/// One word or sign of the text, by its place in it.
struct SourceToken: Sendable {
    enum Kind: Equatable, Sendable {
        case name, number, character, string
        case symbol(SourceSymbol)
        /// The text ends, or the next token could not be read; then the lexer has the error.
        case end
    }

    let kind: Kind
    let start: Int
    let end: Int

    var column: Int { start + 1 }
}

/// The signs of the grammar, and signs that it refuses explicitly.
enum SourceSymbol: String, Sendable {
    case parenthesis = "(", closingParenthesis = ")"
    case bracket = "[", closingBracket = "]"
    case brace = "{", closingBrace = "}"
    case star = "*", comma = ",", semicolon = ";", colon = ":", equals = "=", dot = "."
    case plus = "+", minus = "-", slash = "/", percent = "%", tilde = "~", exclamation = "!"
    case ampersand = "&", bar = "|", caret = "^", less = "<", greater = ">", question = "?", hash = "#"
    case ellipsis = "...", scope = "::", attribute = "[["
    case shiftLeft = "<<", shiftRight = ">>", andAnd = "&&", orOr = "||"
    case equal = "==", notEqual = "!=", lessOrEqual = "<=", greaterOrEqual = ">="
}
