/// A protocol of a header, and its declaration in Swift.
struct ListedProtocol {
    let name: String
    let methods: [ListedMethod]

    var swift: String {
        """
        public enum \(name.split { !isPartOfName($0) }.joined()): PealProtocol {
            public static let name = "\(name)"
        \(methods.map { "    \($0.swift)" }.joined(separator: "\n"))
            public static let methods: [any MethodDeclaration] = [\(methods.map(\.swiftName).joined(separator: ", "))]
        }

        """
    }
}

/// A method of a list: `METHOD(required, bool, may_close, (const char *room), every)`.
struct ListedMethod {
    private let isRequired: Bool
    private let result: String
    private let name: String
    private let parameters: [String]
    private let options: [String]

    /// `nil` for arguments that declare no method.
    init?(_ arguments: [String]) {
        guard arguments.count >= 4, arguments[3].hasPrefix("("), arguments[3].hasSuffix(")") else { return nil }
        isRequired = arguments[0] != "optional"
        result = arguments[1]
        name = arguments[2]
        let list = trimmed(arguments[3].dropFirst().dropLast())
        parameters = list == "void" || list.isEmpty ? [] : list.split(separator: ",").map(trimmed)
        options = Array(arguments[4...])
    }

    var swiftName: String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    var swift: String {
        var policy: String?
        var rest: [String] = isRequired ? ["isRequired: true"] : []
        for option in options {
            let words = option.split { $0 == "(" || $0 == ")" }.map(String.init)
            switch words.first {
            case "since": rest.append("since: \(words.last ?? "1")")
            case "defer": rest.append("recursion: .deferred")
            case "reject": rest.append("recursion: .rejected")
            case "borrowed": rest.append("isBorrowed: true")
            case "sticky": rest.append(words.count > 1 ? "sticky: .lastForEach(\"\(words[1])\")" : "sticky: .last")
            case "first_true": policy = ".firstTrue"
            case "first_nonzero": policy = ".firstNonzero"
            case "chain": policy = words.count > 1 ? ".chainThrough(\"\(words[1])\")" : ".chain"
            case "last", "sum", "min", "max", "any", "every": policy = words.first.map { ".\($0)" }
            default: break
            }
        }
        let value = CTypes.swift(result, isResult: true)
        // Each result is passed to the broadcaster where no policy makes one of them.
        let types =
            [value == "Void" || policy != nil ? value : "Each<\(value)>"]
            + parameters.map { CTypes.swift(CTypes.split($0).type) }
        var list = ["\"\(name)\""]
        if !parameters.isEmpty {
            list.append(
                "parameters: "
                    + parameters.map { "\"\(CTypes.isCopied($0) ? $0 : CTypes.split($0).name)\"" }.joined(
                        separator: ", "))
        }
        if let policy { list.append("policy: \(policy)") }
        let order = ["isRequired", "since", "recursion", "isBorrowed", "sticky"]
        list += order.compactMap { label in rest.first { $0.hasPrefix(label) } }
        return
            "public static let \(swiftName) = Method<\(types.joined(separator: ", "))>(\(list.joined(separator: ", ")))"
    }
}

/// Types of C, as Swift has them.
enum CTypes {
    private static let numbers = [
        "void": "Void", "bool": "Bool", "_Bool": "Bool", "char": "CChar", "signed char": "Int8",
        "unsigned char": "UInt8",
        "short": "Int16", "unsigned short": "UInt16", "int": "Int32", "unsigned": "UInt32", "unsigned int": "UInt32",
        "long": "Int", "unsigned long": "UInt", "long long": "Int64", "unsigned long long": "UInt64", "float": "Float",
        "double": "Double", "int8_t": "Int8", "int16_t": "Int16", "int32_t": "Int32", "int64_t": "Int64",
        "uint8_t": "UInt8",
        "uint16_t": "UInt16", "uint32_t": "UInt32", "uint64_t": "UInt64", "size_t": "Int", "ptrdiff_t": "Int",
    ]

    /// The type of a value. A struct or an enum has the name that Swift imports.
    static func swift(_ type: String, isResult: Bool = false) -> String {
        if type == "const char *" { return isResult ? "UnsafePointer<CChar>?" : "String" }
        if type.hasSuffix("*") { return type.hasPrefix("const ") ? "UnsafeRawPointer?" : "UnsafeMutableRawPointer?" }
        let bare = type.split(separator: " ").filter { !["struct", "enum", "union", "const"].contains($0) }.joined(
            separator: " ")
        return numbers[bare] ?? bare
    }

    /// `const char *` and `room` of `const char *room`.
    static func split(_ parameter: String) -> (type: String, name: String) {
        let name = String(parameter.reversed().prefix { isPartOfName($0) }.reversed())
        let type = trimmed(parameter.dropLast(name.count))
        // A type alone has no name.
        return type.isEmpty || numbers[parameter] != nil ? (parameter, "") : (type, name)
    }

    /// True if the C declaration has more than the Swift type: it is copied as a whole.
    static func isCopied(_ parameter: String) -> Bool {
        let type = split(parameter).type
        return type.hasSuffix("*") && type != "const char *"
    }
}
