/// The declaration of a parameter, a result or a member of C: `const float *__counted_by(n) samples`.
struct CDeclaration {
    /// A length of a pointer: `__counted_by(n)`.
    struct Mark {
        let kind: String
        let length: String
    }

    /// The declaration as the header has it.
    let text: String
    /// The name; empty without one.
    private(set) var name = ""
    /// The words of the type before its first star, sorted, without qualifiers: `char`, `int unsigned`.
    private(set) var words: [String] = []
    /// True if the type before its first star is constant.
    private var isBaseConstant = false
    /// For each star, from the left, true if that pointer is constant itself.
    private var stars: [Bool] = []
    private(set) var marks: [Mark] = []
    private(set) var isNullable = false
    private(set) var isVolatile = false
    private(set) var isArray = false
    /// True for a pointer to a function.
    private(set) var isFunction = false
    /// The part that a declaration of C may not have here; `nil` without one.
    private(set) var mistake: String?

    /// `struct point`, `unsigned int` or `FILE`, as the header has it.
    private(set) var baseText = ""
    private var orderedWords: [String] = []

    init(_ tokens: [Token]) {
        text = tokens.text
        read(tokens)
        words = orderedWords.sorted()
        baseText = orderedWords.joined(separator: " ")
        if orderedWords.isEmpty, mistake == nil { mistake = tokens.isEmpty ? "an empty declaration" : "no type" }
    }

    /// The number of pointers in the type, where an array is one.
    var depth: Int { stars.count + (isArray ? 1 : 0) }

    /// True if the pointed-to type is constant.
    var isPointeeConstant: Bool {
        let inner = isArray ? stars[...] : stars.dropLast()
        return inner.last ?? isBaseConstant
    }

    /// `struct`, `union` or `enum`; `nil` for other types.
    var tag: String? { orderedWords.first.flatMap { ["struct", "union", "enum"].contains($0) ? $0 : nil } }

    private static let keywords: Set = [
        "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "bool", "_Bool", "_Complex",
    ]
    private static let ignored: Set = [
        "restrict", "__restrict", "__restrict__", "_Nonnull", "_Null_unspecified", "register", "extern", "static",
        "inline", "__extension__", "_Atomic",
    ]
    private static let lengths: Set = [
        "__counted_by", "__sized_by", "__counted_by_or_null", "__sized_by_or_null",
    ]

    private mutating func read(_ tokens: [Token]) {
        var index = 0
        while index < tokens.count, mistake == nil {
            let token = tokens[index]
            index += 1
            switch token.text {
            case "const", "__const":
                if stars.isEmpty { isBaseConstant = true } else { stars[stars.count - 1] = true }
            case "volatile", "__volatile__": isVolatile = true
            case "_Nullable": isNullable = true
            case "__attribute__", "__attribute":
                guard let call = Brackets.call(at: index - 1, in: tokens) else {
                    mistake = "an attribute without parentheses"
                    return
                }
                index = call.next
            case "*": stars.append(false)
            case "[":
                guard let end = Brackets.end(of: index - 1, in: tokens) else {
                    mistake = "an open bracket"
                    return
                }
                // [[nodiscard]] is an attribute.
                if index < tokens.count, tokens[index].text == "[" { index = end + 1 } else { isArray = true }
                index = end + 1
            case "(": index = readParentheses(index - 1, in: tokens)
            case _ where Self.ignored.contains(token.text): break
            case _ where Self.lengths.contains(token.text):
                guard let call = Brackets.call(at: index - 1, in: tokens) else {
                    mistake = "\(token.text) without a length"
                    return
                }
                marks.append(Mark(kind: token.text, length: call.arguments.text))
                index = call.next
            case _ where token.isWord: readWord(token.text)
            default: mistake = "'\(token.text)'"
            }
        }
    }

    private mutating func readWord(_ word: String) {
        let isTagged = orderedWords.count == 1 && tag != nil
        if name.isEmpty, stars.isEmpty,
            orderedWords.isEmpty || isTagged
                || (Self.keywords.contains(word) && orderedWords.allSatisfy { Self.keywords.contains($0) })
        {
            orderedWords.append(word)
        } else if name.isEmpty, !orderedWords.isEmpty {
            name = word
        } else {
            mistake = "'\(word)'"
        }
    }

    /// Reads `(*name)(parameters)`, `(*name)[3]` or the `(parameters)` of a function, and returns the index after it.
    private mutating func readParentheses(_ index: Int, in tokens: [Token]) -> Int {
        guard let end = Brackets.end(of: index, in: tokens) else {
            mistake = "an open parenthesis"
            return tokens.count
        }
        if !name.isEmpty {
            isFunction = true
            return end + 1
        }
        guard tokens[index + 1].text == "*", end + 1 < tokens.count else {
            mistake = "'\(tokens[index...end].text)'"
            return tokens.count
        }
        name =
            tokens[index...end].first { $0.isWord && $0.text != "const" && !Self.ignored.contains($0.text) }?.text ?? ""
        isFunction = tokens[end + 1].text == "("
        if !isFunction { stars.append(false) }
        return Brackets.end(of: end + 1, in: tokens).map { $0 + 1 } ?? tokens.count
    }
}
