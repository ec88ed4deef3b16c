/// Information from C declarations as the C interface prints them.
enum CText {
    /// The options after the prototype, between commas.
    static func options(of declaration: String) -> [String] {
        var depth = 0
        var parts = [""]
        for character in declaration {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.dropFirst().map { String($0.drop { $0 == " " }) }
    }

    /// The policy among the options of a declaration; without one, what the C interface takes.
    static func policy(of declaration: String, hasResult: Bool) -> Policy {
        options(of: declaration).lazy.compactMap { Policy(text: $0) }.first ?? (hasResult ? .last : .all)
    }

    /// The words and signs of a type, without the qualifiers that change nothing for a value.
    static func tokens(of type: String) -> [String] {
        var tokens: [String] = []
        var isInWord = false
        for character in type {
            let isPartOfWord = Declarations.isPartOfName(character)
            if isPartOfWord, isInWord {
                tokens[tokens.count - 1].append(character)
            } else if character != " " {
                tokens.append(String(character))
            }
            isInWord = isPartOfWord
        }
        let ignored: Set = ["restrict", "volatile", "_Nullable", "_Nonnull", "_Atomic"]
        return tokens.filter { !ignored.contains($0) }
    }
}
