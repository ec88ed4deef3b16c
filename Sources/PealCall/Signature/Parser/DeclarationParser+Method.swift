/// The options after a prototype as read; whether they fit is checked when all are read.
private struct MethodOptions {
    var policy: (value: MethodDeclaration.Policy, word: String, column: Int)?
    var chainArgument: SourceToken?
    var since: Int?
    var recursion: (value: MethodDeclaration.Recursion, word: String, column: Int)?
    var isBorrowed = false
    var sticky: SourceToken?
    var stickyArgument: SourceToken?
}

extension DeclarationParser {
    mutating func parseMethod() throws(SyntaxError) -> MethodDeclaration {
        var requirement = MethodDeclaration.Requirement.required
        if word == "required" || word == "optional" {
            if word == "optional" { requirement = .optional }
            advance()
        }
        return try parseOptions(of: try parsePrototype(), requirement)
    }

    /// The options after a prototype, up to the end of the text.
    mutating func parseOptions(
        of signature: Signature, _ requirement: MethodDeclaration.Requirement
    ) throws(SyntaxError) -> MethodDeclaration {
        var options = MethodOptions()
        while take(.comma) { try parseOption(&options) }
        try endMethod()
        return MethodDeclaration(
            requirement: requirement, signature: signature, policy: try policy(options, signature),
            since: options.since ?? 1, recursion: try recursion(options, signature), isBorrowed: options.isBorrowed,
            sticky: try sticky(options, signature))
    }

    private mutating func parseOption(_ options: inout MethodOptions) throws(SyntaxError) {
        let token = current
        let word = self.word
        switch word {
        case "since":
            guard options.since == nil else { throw repeated(word, token) }
            options.since = try parseSince()
        case "borrowed":
            if options.isBorrowed { throw repeated(word, token) }
            options.isBorrowed = true
            advance()
        case "sticky":
            if options.sticky != nil { throw repeated(word, token) }
            options.sticky = token
            advance()
            if take(.parenthesis) {
                options.stickyArgument = try takeName("a parameter")
                try expect(.closingParenthesis, "after the parameter's name")
            }
        case "recursive": try setRecursion(.recursive, &options, token)
        case "defer": try setRecursion(.defer, &options, token)
        case "reject": try setRecursion(.reject, &options, token)
        case "chain":
            try setPolicy(.chain(parameter: 0), &options, token)
            if take(.parenthesis) {
                options.chainArgument = try takeName("a parameter")
                try expect(.closingParenthesis, "after the parameter's name")
            }
        default:
            guard let policy = MethodDeclaration.Policy.simple.first(where: { $0.word == word }) else {
                throw unknownOption()
            }
            try setPolicy(policy, &options, token)
        }
        if isAt(.parenthesis) {
            throw SyntaxError(.syntax, "'\(word)' takes nothing in parentheses", column: current.column)
        }
    }

    private func unknownOption() -> SyntaxError {
        guard current.kind == .name, refusal(of: current) == nil else {
            return unexpected("an option, as 'first_true' or 'since(2)',")
        }
        var message = "'\(word)' is no option"
        let words =
            MethodDeclaration.Policy.simple.map { $0.word }
            + ["chain", "since", "recursive", "defer", "reject", "borrowed", "sticky"]
        if let likely = NearestName.find(word, in: words) {
            message += "; did you mean '\(likely)'?"
        } else {
            message += "; a policy, since(N), recursive, defer, reject, borrowed or sticky can stand here"
        }
        return SyntaxError(.syntax, message, column: current.column)
    }

    private func repeated(_ word: String, _ token: SourceToken) -> SyntaxError {
        SyntaxError(.syntax, "'\(word)' is given twice; remove one", column: token.column)
    }

    private mutating func setPolicy(
        _ policy: MethodDeclaration.Policy, _ options: inout MethodOptions, _ token: SourceToken
    ) throws(SyntaxError) {
        if let known = options.policy {
            if known.word == word { throw repeated(word, token) }
            throw SyntaxError(
                .syntax, "a method has one policy; '\(known.word)' is given already", column: token.column)
        }
        options.policy = (policy, word, token.column)
        advance()
    }

    private mutating func setRecursion(
        _ recursion: MethodDeclaration.Recursion, _ options: inout MethodOptions, _ token: SourceToken
    ) throws(SyntaxError) {
        if let known = options.recursion {
            if known.word == word { throw repeated(word, token) }
            throw SyntaxError(
                .syntax, "a method has one rule for recursion; '\(known.word)' is given already", column: token.column)
        }
        options.recursion = (recursion, word, token.column)
        advance()
    }

    private mutating func parseSince() throws(SyntaxError) -> Int {
        advance()
        try expect(.parenthesis, "and a version after 'since'")
        let token = current
        guard token.kind == .number else { throw unexpected("the number of a version") }
        let value = try parseConstant().value
        guard value >= 1 else {
            throw SyntaxError(.syntax, "versions are counted from 1", column: token.column)
        }
        guard value <= SyntaxLimits.version else {
            throw SyntaxError(.limit, "a version is at most \(SyntaxLimits.version)", column: token.column)
        }
        try expect(.closingParenthesis, "after the version")
        return Int(value)
    }
}

// MARK: Checks of the options against the method

extension DeclarationParser {
    private func policy(
        _ options: MethodOptions, _ signature: Signature
    ) throws(SyntaxError) -> MethodDeclaration.Policy {
        guard let (policy, word, column) = options.policy else { return .implied(by: signature.result) }
        if case .chain = policy { return try chain(options, signature, column) }
        if let needed = policy.need(signature.result) {
            throw SyntaxError(
                .syntax, "'\(word)' needs \(needed) as result, and '\(signature.name)' gives \(signature.result)",
                column: column)
        }
        return policy
    }

    private func chain(
        _ options: MethodOptions, _ signature: Signature, _ column: Int
    ) throws(SyntaxError) -> MethodDeclaration.Policy {
        let result = signature.result
        if result.isVoid {
            throw SyntaxError(
                .syntax, "'chain' needs a result, and '\(signature.name)' gives void", column: column)
        }
        guard let token = options.chainArgument else {
            let fits = signature.parameters.indices.first { signature.canChain($0) }
            guard let index = fits else {
                throw SyntaxError(
                    .syntax, "'chain' needs a parameter of the result's type \(result), without a length",
                    column: column)
            }
            return .chain(parameter: UInt8(index))
        }
        let name = text(of: token)
        guard let index = signature.parameters.firstIndex(where: { $0.name == name }) else {
            throw SyntaxError(.syntax, "no parameter is named '\(name)'", column: token.column)
        }
        let parameter = signature.parameters[index]
        guard parameter.type == result else {
            throw SyntaxError(
                .syntax,
                "'chain' puts the result into '\(name)', but that is \(parameter.type) and the result"
                    + " is \(result)", column: token.column)
        }
        guard signature.canChain(index) else {
            throw SyntaxError(
                .unsupported, "'\(name)' is a buffer or its length; a result cannot replace one without the other",
                column: token.column)
        }
        return .chain(parameter: UInt8(index))
    }

    private func recursion(
        _ options: MethodOptions, _ signature: Signature
    ) throws(SyntaxError) -> MethodDeclaration.Recursion {
        guard let (recursion, _, column) = options.recursion else { return .recursive }
        if recursion == .defer, !options.isBorrowed, let index = signature.firstBareParameter {
            let title = signature.parameters[index].title(at: index)
            throw SyntaxError(
                .unsupported,
                "'defer' copies the arguments, and the size of what \(title) points to is unknown; give it"
                    + " a length with __counted_by, register its type, or add 'borrowed'", column: column)
        }
        return recursion
    }

    /// Checks that the calls can be kept for any time.
    private func sticky(
        _ options: MethodOptions, _ signature: Signature
    ) throws(SyntaxError) -> MethodDeclaration.Sticky? {
        guard let column = options.sticky?.column else { return nil }
        guard signature.result.isVoid else {
            throw SyntaxError(
                .unsupported,
                "'sticky' keeps the last call for later observers, whose results would be lost; '\(signature.name)' returns \(signature.result), not void",
                column: column)
        }
        if let index = signature.parameters.firstIndex(where: { $0.type.isCompletion }) {
            throw SyntaxError(
                .unsupported,
                "'sticky' keeps the last call, but a completion ends with its broadcast: \(signature.parameters[index].title(at: index))",
                column: column)
        }
        if let index = signature.firstBareParameter {
            throw SyntaxError(
                .unsupported,
                "'sticky' keeps the last call, and the size of what \(signature.parameters[index].title(at: index)) points to is unknown; give it a length with __counted_by, or register its type",
                column: column)
        }
        guard let token = options.stickyArgument else { return .one }
        return .each(parameter: UInt8(try key(named: token, signature)))
    }

    private func key(named token: SourceToken, _ signature: Signature) throws(SyntaxError) -> Int {
        let name = text(of: token)
        guard let index = signature.parameters.firstIndex(where: { $0.name == name }) else {
            throw SyntaxError(.syntax, "no parameter is named '\(name)'", column: token.column)
        }
        let parameter = signature.parameters[index]
        guard parameter.ownership == .string || parameter.type.isInteger || parameter.type.isBool else {
            throw SyntaxError(
                .unsupported, "a key is an integer, a bool, an enum or a text, and '\(name)' is \(parameter.type)",
                column: token.column)
        }
        return index
    }
}

extension Signature {
    /// Returns true if the result may replace the argument. It must have the result's type, and be neither a buffer nor
    /// the length of one.
    fileprivate func canChain(_ index: Int) -> Bool {
        guard parameters[index].type == result, parameters[index].ownership.length == nil else { return false }
        return !parameters.contains { $0.ownership.length == .parameter(index) }
    }
}

extension MethodDeclaration.Policy {
    /// The result that the policy requires, in words for a message; nil if `result` is such a one.
    fileprivate func need(_ result: CType) -> String? {
        switch self {
        case .all, .chain: nil
        case .last, .collect, .fold: result.isVoid ? "any type but void" : nil
        case .firstTrue, .any, .every: result.isBool || result.isInteger ? nil : "bool or an integer"
        case .firstNonzero:
            result.isReal || result.isBool || result.isPointer || result.isHandle ? nil : "a real number or a pointer"
        case .sum, .min, .max: result.isReal ? nil : "an integer or a real number"
        }
    }
}
