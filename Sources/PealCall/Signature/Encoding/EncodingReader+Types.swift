extension EncodingReader {
    /// The position of a type: by value, or pointed to, where unsupported members are skipped.
    enum Role { case value, pointee }

    mutating func parseType(_ role: Role) throws(SyntaxError) -> QualifiedType {
        try enter()
        defer { leave() }
        let qualifiers = takeQualifiers()
        let at = column
        var type = try parsePlain(role)
        if qualifiers.contains(.const) { type = constant(type) }
        if qualifiers.contains(.atomic) {
            if role == .value, case .structure = type.type {
                throw SyntaxError(.unsupported, "an atomic struct cannot be passed by value", column: at)
            }
            type.qualifiers.insert(.atomic)
        }
        return type
    }

    /// Reads `r`, `A` and the letters of remote messages. Only const and atomic have a meaning in C.
    private mutating func takeQualifiers() -> Qualifiers {
        var qualifiers: Qualifiers = []
        while true {
            switch current {
            case UInt8(ascii: "r"): qualifiers.insert(.const)
            case UInt8(ascii: "A"): qualifiers.insert(.atomic)
            case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "o"), UInt8(ascii: "O"), UInt8(ascii: "R"),
                UInt8(ascii: "V"):
                break
            default: return qualifiers
            }
            advance()
        }
    }

    /// Adds const. In front of a pointer, `r` qualifies the pointed-to type.
    private func constant(_ type: QualifiedType) -> QualifiedType {
        guard case .pointer(let pointee) = type.type else {
            return QualifiedType(type.type, type.qualifiers.union(.const))
        }
        if case .function = pointee.type { return type }
        let inner = QualifiedType(pointee.type, pointee.qualifiers.union(.const))
        return QualifiedType(.pointer(to: inner), type.qualifiers)
    }

    private mutating func parsePlain(_ role: Role) throws(SyntaxError) -> QualifiedType {
        let letter = current
        if let scalar = EncodingReader.scalars[letter], !isAtEnd {
            advance()
            return QualifiedType(.scalar(scalar))
        }
        switch letter {
        case UInt8(ascii: "v"):
            advance()
            return QualifiedType(.void)
        case UInt8(ascii: "*"):
            advance()
            return pointer(to: .scalar(.char))
        case UInt8(ascii: "@"): return try parseObject()
        case UInt8(ascii: "#"):
            advance()
            return pointer(toStruct: "objc_class")
        case UInt8(ascii: ":"):
            advance()
            return pointer(toStruct: "objc_selector")
        case UInt8(ascii: "j"): return QualifiedType(.scalar(try parseComplex()))
        case UInt8(ascii: "^"): return try parsePointer()
        case UInt8(ascii: "["): return try parseArray(role)
        case UInt8(ascii: "{"): return try parseStructure(.structure, role)
        case UInt8(ascii: "("): return try parseStructure(.union, role)
        default: throw refusal(of: letter)
        }
    }

    /// `l` and `L` have 32 bits in every encoding; `q` denotes `long long` and also `long`.
    private static let scalars: [UInt8: Scalar] = [
        UInt8(ascii: "c"): .signedChar, UInt8(ascii: "C"): .unsignedChar, UInt8(ascii: "s"): .short,
        UInt8(ascii: "S"): .unsignedShort, UInt8(ascii: "i"): .int, UInt8(ascii: "I"): .unsignedInt,
        UInt8(ascii: "l"): .int, UInt8(ascii: "L"): .unsignedInt, UInt8(ascii: "q"): .longLong,
        UInt8(ascii: "Q"): .unsignedLongLong, UInt8(ascii: "f"): .float, UInt8(ascii: "d"): .double,
        UInt8(ascii: "D"): .longDouble, UInt8(ascii: "B"): .bool,
    ]

    private func refusal(of letter: UInt8) -> SyntaxError {
        switch letter {
        case UInt8(ascii: "b"):
            SyntaxError(.unsupported, "bit-fields are not supported; use a whole integer", column: column)
        case UInt8(ascii: "t"), UInt8(ascii: "T"):
            SyntaxError(.unsupported, "128-bit integers are not supported; use a pointer", column: column)
        case UInt8(ascii: "!"):
            SyntaxError(.unsupported, "vectors are not supported; use a pointer", column: column)
        case UInt8(ascii: "?"):
            SyntaxError(.unsupported, "'?' is a type that the compiler has not encoded", column: column)
        default: unexpected("the letter of a type")
        }
    }

    private func pointer(to type: CType, _ qualifiers: Qualifiers = []) -> QualifiedType {
        QualifiedType(.pointer(to: QualifiedType(type, qualifiers)))
    }

    private func pointer(toStruct tag: String) -> QualifiedType {
        pointer(to: .structure(Structure(name: tag, isTagged: true, body: nil)))
    }

    /// `@`, `@"NSString"`, `@?` and `@?<v@?>`: all are pointers to an object.
    private mutating func parseObject() throws(SyntaxError) -> QualifiedType {
        advance()
        if current == UInt8(ascii: "\"") {
            _ = try takeQuoted()
        } else if take("?"), current == UInt8(ascii: "<") {
            try skipBlockTypes()
        }
        return pointer(toStruct: "objc_object")
    }

    private mutating func skipBlockTypes() throws(SyntaxError) {
        let open = column
        var depth = 0
        repeat {
            if isAtEnd { throw SyntaxError(.syntax, "this '<' is never closed", column: open) }
            if current == UInt8(ascii: "\"") {
                _ = try takeQuoted()
                continue
            }
            if current == UInt8(ascii: "<") { depth += 1 }
            if current == UInt8(ascii: ">") { depth -= 1 }
            advance()
        } while depth > 0
    }

    private mutating func parseComplex() throws(SyntaxError) -> Scalar {
        advance()
        if take("f") { return .complexFloat }
        if take("d") { return .complexDouble }
        if take("D") { return .complexLongDouble }
        throw unexpected("'f', 'd' or 'D' after 'j'")
    }

    private mutating func parsePointer() throws(SyntaxError) -> QualifiedType {
        advance()
        if take("?") {
            let function = FunctionType(result: QualifiedType(.void), parameters: [], isVariadic: false)
            return pointer(to: .function(function))
        }
        return QualifiedType(.pointer(to: try parseType(.pointee)))
    }
}
