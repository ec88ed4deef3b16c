/// A protocol of a header, and its declaration in Swift.
struct ListedProtocol {
    let name: String
    let line: Int
    /// The names of the protocols that it adopts.
    let adopted: [String]
    let methods: [MethodEntry]

    /// The declaration, or the reasons why there is none.
    ///
    /// - Parameter known: The names of all protocols that are declared with it.
    func swift(_ types: SwiftTypes, known: Set<String>) -> (text: String, problems: [Problem]) {
        guard let swiftName = SwiftNames.type(name) else {
            let sentence =
                "the protocol '\(name)' has no Swift name that is free; use letters and digits, and no name of a Swift type"
            return ("", [Problem(line: line, sentence: sentence)])
        }
        var names: [String] = []
        var lines: [String] = []
        var problems: [Problem] = []
        for name in adopted where !known.contains(name) {
            let sentence =
                "the protocol \(self.name) adopts \(name), which no PEAL_PROTOCOL of these headers declares; add its header"
            problems.append(Problem(line: line, sentence: sentence))
        }
        if !adopted.isEmpty {
            let list = adopted.compactMap { SwiftNames.type($0) }.map { "\($0).self" }.joined(separator: ", ")
            lines.append("    public static let adopts: [any PealProtocol.Type] = [\(list)]")
        }
        for entry in methods {
            do throws(Problem) {
                let method = try ListedMethod(entry, in: name, types)
                if names.contains(method.swiftName) {
                    throw Problem(
                        line: entry.line,
                        sentence:
                            "method \(method.name) of \(name): another method has its Swift name, \(method.swiftName); "
                            + "give it another name")
                }
                names.append(method.swiftName)
                lines.append("    \(method.swift)")
            } catch {
                problems.append(error)
            }
        }
        let text = """
            public enum \(swiftName): PealProtocol {
                public static let name = "\(name)"
            \(lines.joined(separator: "\n"))
                public static let methods: [any MethodDeclaration] = [\(names.joined(separator: ", "))]
            }

            """
        return (text, problems)
    }
}

/// A method of a list: `METHOD(required, bool, may_close, (const char *room), every)`.
struct ListedMethod {
    let name: String
    let swiftName: String
    private let isRequired: Bool
    private let result: String
    private let parameters: [SwiftParameter]
    private let options: MethodOptions

    init(_ entry: MethodEntry, in owner: String, _ types: SwiftTypes) throws(Problem) {
        let arguments = entry.arguments
        func refuse(_ sentence: String) -> Problem { Problem(line: entry.line, sentence: sentence) }
        guard arguments.count >= 4, arguments[2].count == 1, arguments[2][0].isWord else {
            throw refuse(
                "a method of \(owner) is METHOD(\(arguments.map(\.text).joined(separator: ", "))); "
                    + "write METHOD(required, result, name, (parameters))")
        }
        let name = arguments[2][0].text
        self.name = name
        swiftName = SwiftNames.method(name)
        guard ["required", "optional"].contains(arguments[0].text) else {
            throw refuse("method \(name) of \(owner) begins with '\(arguments[0].text)'; write required or optional")
        }
        isRequired = arguments[0].text == "required"
        let list = arguments[3]
        guard list.first?.text == "(", Brackets.end(of: 0, in: list) == list.count - 1 else {
            throw refuse("method \(name) of \(owner): '\(list.text)' is no list of parameters; write it in parentheses")
        }
        let declaration = CDeclaration(arguments[1])
        do {
            result = try types.result(declaration)
        } catch {
            throw refuse("method \(name) of \(owner), result '\(arguments[1].text)': \(error.reason)")
        }
        parameters = try Self.parameters(Array(list.dropFirst().dropLast()), types) { index, parameter, reason in
            refuse("method \(name) of \(owner), parameter \(index + 1) '\(parameter.text)': \(reason)")
        }
        do {
            options = try MethodOptions(arguments[4...].map(\.text), hasResult: result != "Void")
        } catch {
            throw refuse("method \(name) of \(owner): \(error.reason)")
        }
    }

    private static func parameters(
        _ list: [Token], _ types: SwiftTypes, refuse: (Int, CDeclaration, String) -> Problem
    ) throws(Problem) -> [SwiftParameter] {
        if list.isEmpty || list.map(\.text) == ["void"] { return [] }
        let declarations = Brackets.split(list, at: ",").map { CDeclaration($0) }
        var parameters: [SwiftParameter] = []
        var index = 0
        while index < declarations.count {
            do {
                let parameter = try types.parameter(declarations[index...], of: declarations)
                parameters.append(parameter)
                index += parameter.count
            } catch {
                throw refuse(index, declarations[index], error.reason)
            }
        }
        return parameters
    }

    var swift: String {
        // Each result is passed to the broadcaster where no policy makes one of them.
        let answer = result == "Void" || options.policy != nil ? result : "Each<\(result)>"
        var list = ["\"\(name)\""]
        if !parameters.isEmpty {
            list.append("parameters: " + parameters.map { "\"\($0.text)\"" }.joined(separator: ", "))
        }
        if let policy = options.policy { list.append("policy: \(policy)") }
        if isRequired { list.append("isRequired: true") }
        list += options.others
        let types = [answer] + parameters.map(\.type)
        return
            "public static let \(swiftName) = Method<\(types.joined(separator: ", "))>(\(list.joined(separator: ", ")))"
    }
}

/// The options of a method.
struct MethodOptions {
    /// The policy that makes one result; `nil` for none.
    private(set) var policy: String?
    /// The arguments of a Swift method, in their order.
    var others: [String] { ["since", "recursion", "isBorrowed", "sticky"].compactMap { values[$0] } }
    private var values: [String: String] = [:]

    init(_ options: [String], hasResult: Bool) throws(SwiftTypes.Refusal) {
        for option in options {
            let words = option.split { $0 == "(" || $0 == ")" || $0 == " " }.map(String.init)
            let argument = words.count > 1 ? words[1] : ""
            switch words.first {
            case "since":
                guard let number = UInt32(argument), number > 0 else {
                    throw SwiftTypes.Refusal(reason: "'\(option)' has no number; write it as since(2)")
                }
                values["since"] = "since: \(number)"
            case "recursive": break
            case "defer": values["recursion"] = "recursion: .deferred"
            case "reject": values["recursion"] = "recursion: .rejected"
            case "borrowed": values["isBorrowed"] = "isBorrowed: true"
            case "sticky":
                if hasResult {
                    throw SwiftTypes.Refusal(reason: "a method with a result cannot be sticky; remove the option")
                }
                values["sticky"] = argument.isEmpty ? "sticky: .last" : "sticky: .lastForEach(\"\(argument)\")"
            case "all", "collect", "fold": break
            case "first_true": policy = ".firstTrue"
            case "first_nonzero": policy = ".firstNonzero"
            case "chain": policy = argument.isEmpty ? ".chain" : ".chainThrough(\"\(argument)\")"
            case "last", "sum", "min", "max", "any", "every": policy = words.first.map { ".\($0)" }
            default:
                throw SwiftTypes.Refusal(
                    reason: "'\(option)' is no option; include/peal/protocol.h lists the options")
            }
        }
        if policy != nil, !hasResult {
            throw SwiftTypes.Refusal(reason: "a method without a result has no policy; remove it, or add a result")
        }
    }
}
