extension DeclarationParser {
    /// `enum color`, `enum color { … }`, `enum { … }`, and with `: type`, the cursor at `enum`.
    mutating func parseEnumeration(_ context: DeclarationContext) throws(SyntaxError) -> CType {
        let keyword = current
        advance()
        let tag = isAt(.brace) || isAt(.colon) ? nil : try takeName("an enum")
        let name = tag.map { text(of: $0) } ?? ""
        if let tag { try requireTag("enum", name, column: tag.column) }

        // In a struct `enum color: 3` would be a bit-field; C reads a type there, and so does peal.
        let colon = current
        let fixed = isAt(.colon) && context.defines ? try parseUnderlyingType() : nil
        guard isAt(.brace) else {
            guard let tag else { throw unexpected("the '{' of the enum") }
            guard let fixed else { return .enumeration(known(name)) }
            if case .enumeration(let enumeration)? = scope.tags[name] {
                try requireUnderlying(enumeration, fixed, column: colon.column)
                return .enumeration(enumeration)
            }
            let enumeration = Enumeration(name: name, isTagged: true, underlying: fixed, constants: [])
            try declare(.enumeration(enumeration), tag)
            return .enumeration(enumeration)
        }
        try requireDefinable("an enum", context, column: keyword.column)
        let constants = try parseConstants(fixed)
        guard let underlying = fixed ?? Enumeration.customaryType(of: constants) else {
            throw SyntaxError(.limit, "no integer type holds all values of this enum", column: keyword.column)
        }
        let enumeration = Enumeration(
            name: name, isTagged: tag != nil, underlying: underlying, constants: constants)
        if let tag { try declare(.enumeration(enumeration), tag) }
        return .enumeration(enumeration)
    }

    private func known(_ tag: String) -> Enumeration {
        if case .enumeration(let enumeration)? = scope.tags[tag] { return enumeration }
        return .undeclared(tag)
    }

    private func requireUnderlying(
        _ enumeration: Enumeration, _ fixed: Scalar, column: Int
    ) throws(SyntaxError) {
        guard enumeration.underlying != fixed else { return }
        throw SyntaxError(
            .conflict,
            "'enum \(enumeration.name)' is declared as \(enumeration.underlying.spelling),"
                + " and here as \(fixed.spelling)", column: column)
    }

    /// The type after the ':' of an enum, as in C23.
    private mutating func parseUnderlyingType() throws(SyntaxError) -> Scalar {
        advance()
        if current.kind == .number {
            throw SyntaxError(
                .unsupported, "bit-fields are not supported; use a whole integer and masks", column: current.column)
        }
        let specifiers = try parseSpecifiers(.typeName)
        switch specifiers.base.type.unaliased {
        case .scalar(let scalar) where scalar.isInteger || scalar == .bool: return scalar
        case .opaque(let name): throw unknownType(name, column: specifiers.column)
        default: throw SyntaxError(.syntax, "an enum is carried by an integer type", column: specifiers.column)
        }
    }

    private mutating func parseConstants(_ fixed: Scalar?) throws(SyntaxError) -> [Enumeration.Constant] {
        advance()
        var constants: [Enumeration.Constant] = []
        var next: Int128 = 0
        while !isAt(.closingBrace) {
            let name = try takeName("an enumerator")
            let start = current
            if take(.equals) { next = try parseConstant().value }
            let constant = Enumeration.Constant(name: text(of: name), value: next)
            let column = start.kind == .symbol(.equals) ? start.column : name.column
            try requireFit(constant, fixed, column: column)
            try declare(constant, name)
            constants.append(constant)
            next += 1
            if !take(.comma) { break }
        }
        if constants.isEmpty { throw unexpected("the name of an enumerator") }
        try expect(.closingBrace, "after the enumerators")
        return constants
    }

    private func requireFit(
        _ constant: Enumeration.Constant, _ fixed: Scalar?, column: Int
    ) throws(SyntaxError) {
        let range = fixed?.range ?? Int128(Int64.min)...Int128(UInt64.max)
        guard !range.contains(constant.value) else { return }
        let type = fixed?.spelling ?? "any integer type"
        throw SyntaxError(.limit, "\(constant.value) does not fit \(type)", column: column)
    }

    private mutating func declare(_ constant: Enumeration.Constant, _ token: SourceToken) throws(SyntaxError) {
        if let value = scope.constants[constant.name] {
            guard value != constant.value else { return }
            throw SyntaxError(
                .conflict, "'\(constant.name)' is \(value) already, and here \(constant.value)", column: token.column)
        }
        if scope.typedefs[constant.name] != nil {
            throw SyntaxError(.conflict, "'\(constant.name)' is a typedef name already", column: token.column)
        }
        if let excess = scope.add(constant: constant.name, constant.value) {
            throw SyntaxError(.limit, excess, column: token.column)
        }
    }
}

extension Scalar {
    /// The values of an integer type; those of `bool` are 0 and 1.
    var range: ClosedRange<Int128> {
        if self == .bool { return 0...1 }
        let bits = Int128(layout.size * 8)
        return isUnsigned ? 0...((1 << bits) - 1) : -(1 << (bits - 1))...((1 << (bits - 1)) - 1)
    }
}
