/// Names of Swift, as C writes them.
enum CNames {
    /// `on_message` for `onMessage`, `set_url` for `setURL`. A keyword of C gets an underscore.
    static func name(of swiftName: String) -> String {
        let characters = Array(swiftName.filter { $0 != "`" })
        var name = ""
        for (index, character) in characters.enumerated() {
            let follows = index > 0 && characters[index - 1] != "_"
            let endsWord = follows && (characters[index - 1].isLowercase || characters[index - 1].isNumber)
            let startsWord = follows && index + 1 < characters.count && characters[index + 1].isLowercase
            if character.isUppercase, endsWord || startsWord { name += "_" }
            name += character.lowercased()
        }
        return keywords.contains(name) ? name + "_" : name
    }

    private static let keywords: Set = [
        "alignof", "asm", "auto", "bool", "break", "case", "char", "complex", "const", "continue", "default", "do",
        "double", "else", "enum", "extern", "float", "for", "goto", "if", "imaginary", "inline", "int", "long",
        "noreturn", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
        "typedef", "typeof", "union", "unsigned", "void", "volatile", "while",
    ]
}
