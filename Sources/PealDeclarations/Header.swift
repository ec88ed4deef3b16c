/// The protocols of a C header: each PEAL_PROTOCOL, with the methods of its list macro.
struct Header {
    private(set) var protocols: [ListedProtocol] = []
    /// The reason why the header is refused; `nil` for none.
    private(set) var problem: String?

    init(_ text: String) {
        let lines = Self.logicalLines(text)
        var lists: [String: (parameter: String, body: String)] = [:]
        for line in lines where line.hasPrefix("#define ") {
            let rest = line.dropFirst(8)
            guard let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")"), open < close else {
                continue
            }
            lists[String(rest[..<open])] = (
                String(rest[rest.index(after: open)..<close]), String(rest[rest.index(after: close)...])
            )
        }
        for line in lines where line.hasPrefix("PEAL_PROTOCOL") {
            if line.hasPrefix("PEAL_PROTOCOL_ADOPTING") {
                problem = "a protocol adopts others; declare it in Swift by hand"
            }
            for call in Self.calls(of: "PEAL_PROTOCOL", in: line) where call.count == 3 {
                guard let list = lists[call[2]] else {
                    problem = "the list \(call[2]) of the protocol \(call[1]) is not in this header"
                    continue
                }
                let methods = Self.calls(of: list.parameter, in: list.body).compactMap(ListedMethod.init)
                protocols.append(ListedProtocol(name: String(call[1].dropFirst().dropLast()), methods: methods))
            }
        }
    }

    /// Lines without comments, joined at backslashes and within parentheses.
    private static func logicalLines(_ text: String) -> [String] {
        var kept = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "/*") {
            kept += rest[..<start.lowerBound] + " "
            guard let end = rest[start.upperBound...].firstRange(of: "*/") else { return [] }
            rest = rest[end.upperBound...]
        }
        kept += rest
        var lines: [String] = []
        var line = ""
        for part in kept.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = part.firstRange(of: "//").map { part[..<$0.lowerBound] } ?? part
            let isContinued = code.last == "\\"
            line += isContinued ? code.dropLast() + " " : code
            let depth = line.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
            if isContinued || depth > 0 {
                line += " "
                continue
            }
            lines.append(String(line.drop { $0 == " " }))
            line = ""
        }
        return lines
    }

    /// The arguments of each call of a macro.
    private static func calls(of macro: String, in text: String) -> [[String]] {
        var found: [[String]] = []
        var rest = text[...]
        while let start = rest.firstRange(of: macro + "(") {
            let isWhole =
                start.lowerBound == text.startIndex || !isPartOfName(text[text.index(before: start.lowerBound)])
            rest = rest[start.upperBound...]
            var depth = 1
            var arguments = [""]
            for character in rest {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if depth == 0 { break }
                if character == ",", depth == 1 {
                    arguments.append("")
                } else {
                    arguments[arguments.count - 1].append(character)
                }
            }
            if isWhole { found.append(arguments.map(trimmed)) }
        }
        return found
    }
}

func isPartOfName(_ character: Character) -> Bool { character == "_" || character.isLetter || character.isNumber }

func trimmed(_ text: some StringProtocol) -> String {
    let words = text.split { $0.isWhitespace }
    return words.joined(separator: " ")
}
