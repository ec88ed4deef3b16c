/// The protocols of a C header: each PEAL_PROTOCOL, with the methods of its list macro. And the types of each PEAL_TYPE.
struct Header {
    private(set) var protocols: [ListedProtocol] = []
    private(set) var types = DeclaredTypes()
    /// The reasons why the header is refused.
    private(set) var problems: [Problem] = []

    /// A macro with one parameter.
    private struct List {
        let parameter: String
        let body: [Token]
        /// True if the header defines it more than once.
        var isAmbiguous = false
    }
    private var lists: [String: List] = [:]

    init(_ text: String) {
        let lexer = Lexer(text)
        lexer.directives.forEach { readDefinition($0) }
        let code = lexer.code
        for index in code.indices where code[index].text == "PEAL_TYPE" {
            if let call = Brackets.call(at: index, in: code) { types.add(call.arguments) }
        }
        for index in code.indices where ["PEAL_PROTOCOL", "PEAL_PROTOCOL_ADOPTING"].contains(code[index].text) {
            do {
                try readProtocol(at: index, in: code)
            } catch {
                problems.append(error)
            }
        }
    }

    /// Reads `define LIST(METHOD) ...`.
    private mutating func readDefinition(_ tokens: [Token]) {
        guard tokens.count > 4, tokens[0].text == "define", tokens[2].text == "(", !tokens[2].isSpaced,
            tokens[4].text == ")"
        else { return }
        let name = tokens[1].text
        let isKnown = lists[name] != nil
        lists[name] = List(parameter: tokens[3].text, body: Array(tokens[5...]), isAmbiguous: isKnown)
    }

    private mutating func readProtocol(at index: Int, in code: [Token]) throws(Problem) {
        let word = code[index]
        func refuse(_ sentence: String) -> Problem { Problem(line: word.line, sentence: sentence) }
        guard let call = Brackets.call(at: index, in: code) else {
            throw refuse("\(word.text) has no arguments in parentheses")
        }
        let arguments = Brackets.split(call.arguments, at: ",")
        let isAdopting = word.text == "PEAL_PROTOCOL_ADOPTING"
        guard arguments.count == (isAdopting ? 4 : 3),
            arguments.indices.allSatisfy({ $0 == 1 || arguments[$0].count == 1 })
        else {
            throw refuse(
                "\(word.text) needs a tag, a name in quotes, and the name of a list macro"
                    + (isAdopting ? " of adopted protocols and of one of methods" : ""))
        }
        guard arguments[1].count == 1, let name = SwiftNames.unquoted(arguments[1][0].text) else {
            throw refuse(
                "the name of the protocol is \(arguments[1].text); write one string without backslashes, as \"Chat\"")
        }
        let adopted = try isAdopting ? adopted(by: arguments[2][0].text, at: word.line) : []
        let list = arguments[arguments.count - 1][0].text
        let methods = try calls(in: list, at: word.line, within: [])
        if methods.isEmpty, adopted.isEmpty {
            throw refuse("the list \(list) of \(name) has no METHOD(required, result, name, (parameters))")
        }
        protocols.append(ListedProtocol(name: name, line: word.line, adopted: adopted, methods: methods))
    }

    /// The names of the protocols in a list of adopted ones: `ADOPT(chat, "Chat")`.
    private func adopted(by name: String, at line: Int) throws(Problem) -> [String] {
        try calls(in: name, at: line, within: []).map { call throws(Problem) in
            guard call.arguments.count == 2, let name = SwiftNames.unquoted(call.arguments[1].text) else {
                throw Problem(
                    line: call.line,
                    sentence: "an adopted protocol is '\(call.arguments.map(\.text).joined(separator: ", "))'; "
                        + "write its tag and its name, as ADOPT(chat, \"Chat\")")
            }
            return name
        }
    }

    /// The calls of the parameter in a list and in the lists that it contains.
    private func calls(in name: String, at line: Int, within outer: [String]) throws(Problem) -> [MethodEntry] {
        if outer.contains(name) { throw Problem(line: line, sentence: "the list \(name) contains itself; remove that") }
        guard let list = lists[name] else {
            throw Problem(
                line: line,
                sentence: "the list \(name) is not in this header; define it here, as '#define \(name)(METHOD) ...'")
        }
        if list.isAmbiguous {
            throw Problem(
                line: line,
                sentence:
                    "the list \(name) is defined twice in this header, and conditions of the preprocessor are not "
                    + "evaluated; give each list a name of its own")
        }
        var found: [MethodEntry] = []
        var index = 0
        while index < list.body.count {
            let token = list.body[index]
            guard let call = Brackets.call(at: index, in: list.body) else {
                throw Problem(
                    line: token.line,
                    sentence: "the list \(name) has '\(token.text)' where \(list.parameter)(...) is expected")
            }
            if token.text == list.parameter {
                found.append(MethodEntry(line: token.line, arguments: Brackets.split(call.arguments, at: ",")))
            } else if call.arguments.text == list.parameter {
                found += try calls(in: token.text, at: token.line, within: outer + [name])
            } else {
                throw Problem(
                    line: token.line,
                    sentence: "the list \(name) has '\(token.text)(...)' where \(list.parameter)(...) is expected")
            }
            index = call.next
        }
        return found
    }
}

/// The arguments of a METHOD, or of an ADOPT.
struct MethodEntry {
    let line: Int
    let arguments: [[Token]]
}
