/// What can be read off the text of a C declaration.
enum Declarations {
    /// The type that a declaration is about: `struct point` of `struct point { … };`, and the new name of a typedef.
    static func typeName(of declaration: String) -> String {
        let words = declaration.split { !isPartOfName($0) }
        if words.first == "typedef" { return words.last.map(String.init) ?? "" }
        return words.prefix(2).joined(separator: " ")
    }

    /// The name that a parameter's declaration ends with: `samples` of `const float *__counted_by(n) samples`.
    static func parameterName(of text: String) -> String {
        String(text.reversed().drop { !isPartOfName($0) }.prefix { isPartOfName($0) }.reversed())
    }

    static func isPartOfName(_ character: Character) -> Bool {
        character == "_" || (character.isASCII && (character.isLetter || character.isNumber))
    }
}
