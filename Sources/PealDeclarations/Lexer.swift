/// A token of C: a word, a number, a string or a sign.
struct Token {
    let text: String
    let line: Int
    /// True if white space or a comment is before it.
    let isSpaced: Bool

    var isWord: Bool { text.first.map { $0 == "_" || $0.isLetter } ?? false }
    var isString: Bool { text.first == "\"" }
}

extension Sequence<Token> {
    /// The tokens as the header has them, with one space for all white space between two of them.
    var text: String {
        reduce(into: "") { text, token in
            if token.isSpaced, !text.isEmpty { text += " " }
            text += token.text
        }
    }
}

/// The tokens of a header. Directives of the preprocessor are not carried out.
struct Lexer {
    /// The tokens of each directive, without its `#`.
    private(set) var directives: [[Token]] = []
    /// All other tokens.
    private(set) var code: [Token] = []

    private let characters: [Character]
    private var position = 0
    private var line = 1

    init(_ text: String) {
        // CRLF is one character of Swift.
        characters = text.map { $0 == "\r\n" ? "\n" : $0 }
        read()
    }

    private func peek(_ offset: Int = 0) -> Character? {
        position + offset < characters.count ? characters[position + offset] : nil
    }

    private mutating func advance() {
        if peek() == "\n" { line += 1 }
        position += 1
    }

    private mutating func read() {
        var isDirective = false
        var isLineStart = true
        var isSpaced = false
        while let character = peek() {
            if character == "\n" {
                isDirective = false
                isLineStart = true
            }
            if skipSpace() {
                isSpaced = true
                continue
            }
            if character == "#", isLineStart {
                isDirective = true
                directives.append([])
                advance()
            } else {
                let start = line
                let token = Token(text: readToken(), line: start, isSpaced: isSpaced)
                if isDirective { directives[directives.count - 1].append(token) } else { code.append(token) }
            }
            isLineStart = false
            isSpaced = false
        }
    }

    /// Skips white space, a continued line end or a comment. Returns false if none of them is next.
    private mutating func skipSpace() -> Bool {
        if peek() == "\\", peek(1) == "\n" {
            advance()
            advance()
        } else if peek() == "/", peek(1) == "*" {
            advance()
            advance()
            while peek() != nil, !(peek() == "*" && peek(1) == "/") { advance() }
            advance()
            advance()
        } else if peek() == "/", peek(1) == "/" {
            while let next = peek(), next != "\n" { advance() }
        } else if peek()?.isWhitespace == true {
            advance()
        } else {
            return false
        }
        return true
    }

    private mutating func readToken() -> String {
        guard let first = peek() else { return "" }
        var text = String(first)
        advance()
        if first == "\"" || first == "'" {
            while let next = peek(), next != "\n" {
                text.append(next)
                advance()
                if next == first { break }
                if next == "\\", let escaped = peek() {
                    text.append(escaped)
                    advance()
                }
            }
        } else if isPartOfName(first) {
            while let next = peek(), isPartOfName(next) {
                text.append(next)
                advance()
            }
        } else if first == ".", peek() == ".", peek(1) == "." {
            text = "..."
            advance()
            advance()
        }
        return text
    }
}

func isPartOfName(_ character: Character) -> Bool {
    character == "_" || (character.isASCII && (character.isLetter || character.isNumber))
}

/// Reads tokens with their brackets.
enum Brackets {
    /// The index of the bracket that closes the one at an index; `nil` without it.
    static func end(of open: Int, in tokens: [Token]) -> Int? {
        var depth = 0
        for index in open..<tokens.count {
            if ["(", "[", "{"].contains(tokens[index].text) { depth += 1 }
            if [")", "]", "}"].contains(tokens[index].text) { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The parts between separators that are in no brackets. An empty list has no parts.
    static func split(_ tokens: [Token], at separator: String) -> [[Token]] {
        guard !tokens.isEmpty else { return [] }
        var parts: [[Token]] = [[]]
        var depth = 0
        for token in tokens {
            if ["(", "[", "{"].contains(token.text) { depth += 1 }
            if [")", "]", "}"].contains(token.text) { depth -= 1 }
            if depth == 0, token.text == separator {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts
    }

    /// The arguments of a call whose name is at an index, and the index after the call; `nil` if no call is there.
    static func call(at index: Int, in tokens: [Token]) -> (arguments: [Token], next: Int)? {
        guard index + 1 < tokens.count, tokens[index + 1].text == "(", let end = end(of: index + 1, in: tokens) else {
            return nil
        }
        return (Array(tokens[(index + 2)..<end]), end + 1)
    }
}
