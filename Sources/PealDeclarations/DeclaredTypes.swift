/// The structs that headers declare by PEAL_TYPE, and their Swift.
struct DeclaredTypes {
    /// By the type's name in prototypes: `struct point`, or the name of a typedef.
    private(set) var structs: [String: DeclaredStruct] = [:]

    /// Adds the types of `PEAL_TYPE(name, declarations)`.
    mutating func add(_ arguments: [Token]) {
        guard let comma = arguments.firstIndex(where: { $0.text == "," }) else { return }
        for declaration in Brackets.split(Array(arguments[(comma + 1)...]), at: ";") {
            if let declared = DeclaredStruct(declaration) { structs[declared.type] = declared }
        }
    }

    mutating func add(_ others: DeclaredTypes) { structs.merge(others.structs) { $1 } }
}

/// A struct of a PEAL_TYPE.
struct DeclaredStruct {
    /// Its name in prototypes.
    let type: String
    /// Its name in Swift, which is that of the import from C.
    let swiftName: String
    /// The reason why no Swift is written for it; `nil` if it is.
    private(set) var obstacle: String?

    private let text: String
    private var members: [(name: String, type: String, zero: String)] = []
    /// True if values may be passed between threads: no member is a pointer.
    private var isSendable = true

    /// `nil` for a declaration of no struct.
    init?(_ tokens: [Token]) {
        let words = tokens.first?.text == "typedef" ? tokens.dropFirst() : tokens[...]
        guard words.first?.text == "struct", let open = words.firstIndex(where: { $0.text == "{" }),
            let end = Brackets.end(of: open, in: tokens), let last = words.last
        else { return nil }
        let isTypedef = tokens[0].text == "typedef" && end + 1 < tokens.count
        swiftName = isTypedef ? last.text : tokens[open - 1].text
        type = isTypedef ? swiftName : "struct \(swiftName)"
        text = tokens.text + ";"
        for member in Brackets.split(Array(tokens[(open + 1)..<end]), at: ";") where !member.isEmpty { add(member) }
        if members.isEmpty, obstacle == nil { obstacle = "has no members" }
        if SwiftNames.type(swiftName) == nil { obstacle = "has a name that Swift needs" }
        if SwiftNames.unquoted("\"\(text)\"") == nil { obstacle = "has a text or a backslash in its declaration" }
    }

    /// Adds the members of `double x, y`.
    private mutating func add(_ tokens: [Token]) {
        let parts = Brackets.split(tokens, at: ",")
        let first = CDeclaration(parts[0])
        let base = parts[0].prefix { $0.text != "*" && $0.text != first.name }
        for part in parts.enumerated() {
            add(CDeclaration(part.offset == 0 ? part.element : base + part.element))
        }
    }

    private mutating func add(_ member: CDeclaration) {
        guard member.mistake == nil, !member.isArray, !member.isFunction, !member.name.isEmpty else {
            obstacle = obstacle ?? "has the member '\(member.text)', which is no number, text or pointer"
            return
        }
        if member.depth > 0 {
            members.append((member.name, SwiftTypes.pointer(member), "nil"))
            isSendable = false
        } else if member.tag == "enum" {
            members.append((member.name, "UInt32", "0"))
        } else if let number = Numbers.swift(member.words) {
            members.append((member.name, number, number == "Bool" ? "false" : "0"))
        } else {
            obstacle = obstacle ?? "has the member '\(member.text)', which is no number, text or pointer"
        }
        if ["structure", "cType", "cValue", "refusal", "self", "init"].contains(member.name) {
            obstacle = "has a member with the name '\(member.name)', which Swift needs"
        }
    }

    var swift: String {
        let stored = members.map { "    public var \(SwiftNames.escaped($0.name)): \($0.type)" }
        let parameters = members.map { "\(SwiftNames.escaped($0.name)): \($0.type) = \($0.zero)" }
        let values = members.map { "        self.\(SwiftNames.escaped($0.name)) = \(SwiftNames.escaped($0.name))" }
        return """
            public struct \(swiftName): PealStruct\(isSendable ? ", Sendable" : "") {
            \(stored.joined(separator: "\n"))
                public static let structure = Structure<\(swiftName)>("\(text)")

                public init(\(parameters.joined(separator: ", "))) {
            \(values.joined(separator: "\n"))
                }
            }

            """
    }
}
