/// Names of C, as Swift has them.
enum SwiftNames {
    /// `mayClose` for `may_close`. A name that means something else in a protocol gets an underscore.
    static func method(_ name: String) -> String {
        let start = name.prefix { $0 == "_" }
        let words = name.dropFirst(start.count).split(separator: "_", omittingEmptySubsequences: false)
        var swift = String(start) + (words.first ?? "")
        for word in words.dropFirst() {
            // Numbers stay apart.
            let isNumber = swift.last?.isNumber == true && word.first?.isNumber == true
            swift += (isNumber || word.isEmpty ? "_" : "") + word.prefix(1).uppercased() + word.dropFirst()
        }
        if swift.allSatisfy({ $0 == "_" }) || members.contains(swift) || types.contains(swift) { swift += "_" }
        return escaped(swift)
    }

    /// The name with the quotes that a keyword needs.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The Swift name of a protocol; `nil` for a name that is no name of Swift, or one of the generated code.
    static func type(_ name: String) -> String? {
        let swift = name.filter(isPartOfName)
        guard let first = swift.first, !first.isNumber, !keywords.contains(swift), !types.contains(swift),
            !swift.allSatisfy({ $0 == "_" })
        else { return nil }
        return swift
    }

    /// The content of a string of C which means the same in Swift; `nil` for others.
    static func unquoted(_ text: String) -> String? {
        guard text.count > 2, text.first == "\"", text.last == "\"" else { return nil }
        let content = text.dropFirst().dropLast()
        return content.contains("\"") || content.contains("\\") ? nil : String(content)
    }

    /// The members of each protocol, and names that have a meaning after a dot.
    private static let members: Set = ["name", "methods", "adopts", "self", "Self", "Type", "Protocol", "init"]

    /// The types of the generated code.
    private static let types: Set = [
        "Any", "Bool", "CChar", "Completion", "Double", "Each", "Float", "Float80", "Int", "Int16", "Int32", "Int64",
        "Int8", "Method", "MethodDeclaration", "OpaquePointer", "Optional", "Peal", "PealMethod", "PealProtocol",
        "PealStruct", "Protocol", "Self", "String", "Structure", "Swift", "Type", "UInt", "UInt16", "UInt32", "UInt64",
        "UInt8", "UnsafeMutableRawPointer", "UnsafePointer", "UnsafeRawPointer", "Void",
    ]

    private static let keywords: Set = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
