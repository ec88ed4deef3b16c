extension DeclarationParser {
    /// An integer constant expression: `1 << 4`, `LIMIT + 1`, `sizeof(int) > 4 ? 8 : (char)1`.
    mutating func parseConstant() throws(SyntaxError) -> ConstantValue {
        let condition = try parseBinary()
        guard take(.question) else { return condition }
        try enter()
        defer { leave() }
        let isTrue = condition.value != 0
        let first = try parseOperand(isEvaluated: isTrue)
        try expect(.colon, "of '?'")
        let second = try parseOperand(isEvaluated: !isTrue)
        return (isTrue ? first : second).converted(with: isTrue ? second : first)
    }

    /// An operand of `?:`.
    private mutating func parseOperand(isEvaluated: Bool) throws(SyntaxError) -> ConstantValue {
        if !isEvaluated { unevaluated += 1 }
        defer { if !isEvaluated { unevaluated -= 1 } }
        return try parseConstant()
    }

    private mutating func parseBinary() throws(SyntaxError) -> ConstantValue {
        // The waiting operators are in a list and not on the stack. Only parentheses and unary signs recurse, and their
        // depth is bounded.
        var waiting: [PendingOperation] = []
        var right = try parseUnary()
        while let strength = precedence(of: current.kind), case .symbol(let symbol) = current.kind {
            try apply(&waiting, &right, downTo: strength)
            let operation = PendingOperation(left: right, symbol: symbol, strength: strength, column: current.column)
            if operation.isDecided { unevaluated += 1 }
            waiting.append(operation)
            advance()
            right = try parseUnary()
        }
        try apply(&waiting, &right, downTo: 0)
        return right
    }

    /// An operator whose right side may still grow.
    private struct PendingOperation {
        let left: ConstantValue
        let symbol: SourceSymbol
        let strength: Int
        let column: Int

        /// True if the left side alone gives the result.
        var isDecided: Bool { symbol == .andAnd ? left.value == 0 : symbol == .orOr && left.value != 0 }
    }

    /// Computes the waiting operators that bind at least as strongly as the next one.
    private mutating func apply(
        _ waiting: inout [PendingOperation], _ right: inout ConstantValue, downTo strength: Int
    ) throws(SyntaxError) {
        while let last = waiting.last, last.strength >= strength {
            let result = last.left.combined(last.symbol, right)
            guard result != nil || unevaluated > 0 else {
                throw SyntaxError(
                    .limit, "the result of '\(last.symbol.rawValue)' is not defined or does not fit its type",
                    column: last.column)
            }
            right = result ?? ConstantValue(0, last.left.resultType(last.symbol, right))
            if last.isDecided { unevaluated -= 1 }
            waiting.removeLast()
        }
    }

    private func precedence(of kind: SourceToken.Kind) -> Int? {
        guard case .symbol(let symbol) = kind else { return nil }
        switch symbol {
        case .orOr: return 1
        case .andAnd: return 2
        case .bar: return 3
        case .caret: return 4
        case .ampersand: return 5
        case .equal, .notEqual: return 6
        case .less, .greater, .lessOrEqual, .greaterOrEqual: return 7
        case .shiftLeft, .shiftRight: return 8
        case .plus, .minus: return 9
        case .star, .slash, .percent: return 10
        default: return nil
        }
    }

    private mutating func parseUnary() throws(SyntaxError) -> ConstantValue {
        try enter()
        defer { leave() }
        let token = current
        switch token.kind {
        case .symbol(let symbol) where [.plus, .minus, .tilde, .exclamation].contains(symbol):
            advance()
            let operand = try parseUnary()
            if let result = operand.applying(symbol) { return result }
            if unevaluated > 0 { return operand }
            throw SyntaxError(.limit, "the value does not fit its type", column: token.column)
        case .symbol(.parenthesis):
            advance()
            if beginsType() { return try parseCast(column: token.column) }
            let value = try parseConstant()
            try expect(.closingParenthesis, "to close the expression")
            return value
        case .number: return try parseNumber()
        case .character: return try parseCharacter()
        case .name where Vocabulary.measures.contains(word): return try parseMeasure()
        case .name:
            if let refusal = refusal(of: token) { throw refusal }
            guard let value = scope.constants[word] else {
                throw SyntaxError(
                    .syntax, "'\(word)' is no enumerator that is declared, so it has no constant value",
                    column: token.column)
            }
            advance()
            return ConstantValue(value)
        default: throw unexpected("an integer constant")
        }
    }

    /// Returns true if the parenthesis before the cursor begins a cast.
    private func beginsType() -> Bool {
        guard current.kind == .name, scope.constants[word] == nil else { return false }
        return Vocabulary.beginsType(word) || scope.alias(named: word) != nil
    }

    /// `(unsigned char)300`, the cursor after the parenthesis.
    private mutating func parseCast(column: Int) throws(SyntaxError) -> ConstantValue {
        let (type, typeColumn) = try parseTypeName()
        try expect(.closingParenthesis, "after the type of a cast")
        let value = try parseUnary()
        guard let scalar = type.type.scalar, scalar == .bool || scalar.isInteger else {
            throw SyntaxError(.syntax, "a constant is an integer, and this cast gives \(type.type)", column: typeColumn)
        }
        return value.cast(to: scalar)
    }

    /// `sizeof(type)` or `_Alignof(type)`.
    private mutating func parseMeasure() throws(SyntaxError) -> ConstantValue {
        let word = self.word
        advance()
        try expect(.parenthesis, "after '\(word)'")
        let layout = try parseLayoutHere()
        try expect(.closingParenthesis, "after the type of '\(word)'")
        return ConstantValue(Int128(word == "sizeof" ? layout.size : layout.alignment), .unsignedLong)
    }

    // MARK: Literals

    private mutating func parseNumber() throws(SyntaxError) -> ConstantValue {
        let token = current
        var digits = text(of: token).lowercased()[...]
        if isAt(.dot) || lookahead(1).kind == .symbol(.dot) {
            throw SyntaxError(.syntax, "a floating-point number has no place here", column: token.column)
        }
        var suffix = ""
        while let last = digits.last, last == "u" || last == "l" { suffix = String(digits.removeLast()) + suffix }
        let radix = takeRadix(&digits)
        guard ["", "u", "l", "ll", "ul", "ull", "lu", "llu"].contains(suffix), let value = magnitude(digits, radix)
        else { throw SyntaxError(.syntax, "'\(text(of: token))' is no integer", column: token.column) }
        guard value <= Int128(UInt64.max) else {
            throw SyntaxError(.limit, "'\(text(of: token))' is too big for any integer type", column: token.column)
        }
        advance()
        return ConstantValue(value, literalType(value, suffix, isDecimal: radix == 10))
    }

    private func takeRadix(_ digits: inout Substring) -> Int128 {
        if digits.hasPrefix("0x") || digits.hasPrefix("0b") {
            let radix: Int128 = digits.hasPrefix("0x") ? 16 : 2
            digits = digits.dropFirst(2)
            return radix
        }
        return digits.hasPrefix("0") ? 8 : 10
    }

    /// nil if a character is no digit. A value that does not fit 64 bits is returned as the first such value.
    private func magnitude(_ digits: Substring, _ radix: Int128) -> Int128? {
        if digits.isEmpty { return nil }
        var value: Int128 = 0
        for digit in digits {
            guard let number = digit.hexDigitValue, Int128(number) < radix else { return nil }
            value = min(value * radix + Int128(number), Int128(UInt64.max) + 1)
        }
        return value
    }

    /// The first type of C's list that can represent the value.
    private func literalType(_ value: Int128, _ suffix: String, isDecimal: Bool) -> Scalar {
        let isUnsigned = suffix.contains("u")
        let isLong = suffix.contains("l")
        var candidates: [Scalar] = []
        if !isLong, !isUnsigned { candidates.append(.int) }
        if !isLong, isUnsigned || !isDecimal { candidates.append(.unsignedInt) }
        if !isUnsigned { candidates.append(.long) }
        return candidates.first { $0.range.contains(value) } ?? .unsignedLong
    }

    private mutating func parseCharacter() throws(SyntaxError) -> ConstantValue {
        let token = current
        let bytes = lexer.bytes[(token.start + 1)..<(token.end - 1)]
        guard let first = bytes.first, let value = characterValue(bytes, first) else {
            throw SyntaxError(
                .syntax, "a character constant is one ASCII character or one escape", column: token.column)
        }
        advance()
        return ConstantValue(value)
    }

    private func characterValue(_ bytes: ArraySlice<UInt8>, _ first: UInt8) -> Int128? {
        guard first == UInt8(ascii: "\\") else { return bytes.count == 1 && first < 0x80 ? Int128(first) : nil }
        if let code = numericEscape(bytes.dropFirst()) { return code }
        guard bytes.count == 2, let escaped = bytes.last else { return nil }
        switch escaped {
        case UInt8(ascii: "a"): return 7
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "v"): return 11
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): return Int128(escaped)
        default: return nil
        }
    }

    /// `x1B` and `033`: a value of the type `char`, whose sign is the machine's.
    private func numericEscape(_ bytes: ArraySlice<UInt8>) -> Int128? {
        let digits = String(decoding: bytes, as: UTF8.self)
        let code =
            digits.hasPrefix("x")
            ? UInt8(digits.dropFirst(), radix: 16) : digits.count <= 3 ? UInt8(digits, radix: 8) : nil
        guard let code, !digits.contains("+") else { return nil }
        return ConstantValue(Int128(code)).cast(to: .char).value
    }
}
