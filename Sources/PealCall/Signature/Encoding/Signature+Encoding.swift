extension Signature {
    /// Reads an Objective-C method: its selector `didReceive:from:` and its type encoding `v@:@@`.
    ///
    /// The object and the selector that each Objective-C method is passed, `@:`, are required and dropped: peal passes
    /// its own target. Columns in errors refer to the encoding, except in errors about the selector.
    ///
    /// - Parameter scope: The pointed-to types, for example `struct objc_object`.
    public init(objCName name: String, encoding: String, in scope: TypeScope = TypeScope()) throws(SyntaxError) {
        var reader = try EncodingReader(encoding)
        self = try reader.parseSignature(objCName: name, in: scope)
        if !reader.isAtEnd { throw reader.unexpected("a type or the end") }
    }
}

extension MethodDeclaration {
    /// Reads an Objective-C method. After its type encoding follow the options of a method's text, if there are any:
    /// `B@:@, first_true`.
    public init(
        _ requirement: Requirement, objCName name: String, encoding: String, in scope: TypeScope = TypeScope()
    ) throws(SyntaxError) {
        var reader = try EncodingReader(encoding)
        let signature = try reader.parseSignature(objCName: name, in: scope)
        // Blanks replace the encoding, so that the columns in errors stay correct.
        let before = reader.column - 1
        let options =
            String(repeating: " ", count: before) + String(decoding: encoding.utf8.dropFirst(before), as: UTF8.self)
        var parser = DeclarationParser(options, scope: scope)
        self = try parser.parseOptions(of: signature, requirement)
    }
}

extension EncodingReader {
    /// Reads a method up to the end, or to the ',' in front of options.
    fileprivate mutating func parseSignature(objCName name: String, in scope: TypeScope) throws(SyntaxError)
        -> Signature
    {
        let colons = try EncodingReader.colons(inSelector: name)
        let resultColumn = self.column
        let result = try parseType(.value)
        if case .array = result.type {
            throw SyntaxError(.syntax, "a method cannot return an array", column: resultColumn)
        }
        skipOffset()
        try expect("@", "for the object, after the result,")
        skipOffset()
        try expect(":", "for the selector, after '@',")
        skipOffset()

        var parameters: [Parameter] = []
        var parts = result.type.measure.parts
        while !isAtEnd, current != UInt8(ascii: ",") {
            let column = self.column
            if parameters.count == SyntaxLimits.parameters {
                throw SyntaxError(
                    .limit, "a method has at most \(SyntaxLimits.parameters) parameters", column: column)
            }
            let type = try parseType(.value).type
            if type.isVoid { throw SyntaxError(.unsupported, "a parameter cannot be void", column: column) }
            if let refusal = type.refusalAsParameter { throw SyntaxError(.unsupported, refusal, column: column) }
            skipOffset()
            parts += type.measure.parts
            parameters.append(try EncodingReader.parameter(type, column, scope))
        }
        guard parameters.count == colons else {
            throw SyntaxError(
                .syntax,
                "'\(name)' takes as many arguments as it has colons, \(colons),"
                    + " and the encoding has \(parameters.count)", column: self.column)
        }
        if parts > SyntaxLimits.typeParts { throw SyntaxError(.limit, TypeMeasure.tooManyParts, column: 1) }
        return Signature(name: name, result: result.type, parameters: parameters)
    }

    private static func parameter(_ type: CType, _ column: Int, _ scope: TypeScope) throws(SyntaxError) -> Parameter {
        switch type {
        case .array(let element, let count):
            guard let size = element.type.layout?.size, let count, let whole = type.layout?.size,
                whole <= SyntaxLimits.bufferBytes
            else { throw SyntaxError(.limit, "the array is too large", column: column) }
            return Parameter(
                name: nil, type: .pointer(to: element),
                ownership: .counted(by: .constant(count), elementSize: size, allowsNull: true))
        case .pointer(let pointee):
            if case .function = pointee.type { return Parameter(name: nil, type: type, ownership: .function) }
            // `*` is a C string in Objective-C, constant or not; a pointer to one char is `^c`.
            if case .scalar(.char) = pointee.type { return Parameter(name: nil, type: type, ownership: .string) }
            let ownership = scope.hooks(of: pointee.type).map(Ownership.managed) ?? .bare
            return Parameter(name: nil, type: type, ownership: ownership)
        default:
            return Parameter(name: nil, type: type, ownership: .value)
        }
    }

    /// The number of a selector's arguments. Each colon follows a name, and only the first name must not be empty.
    private static func colons(inSelector name: String) throws(SyntaxError) -> Int {
        guard name.utf8.count <= SyntaxLimits.textBytes else {
            throw SyntaxError(
                .limit, "the selector is longer than \(SyntaxLimits.textBytes) bytes",
                column: SyntaxLimits.textBytes + 1)
        }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        let isComplete = parts.count == 1 || parts.last?.isEmpty == true
        let areNames = parts.enumerated().allSatisfy { index, part in
            CharacterClass.isName(part) || (index > 0 && part.isEmpty)
        }
        guard isComplete, areNames else {
            throw SyntaxError(
                .syntax, "'\(name)' is no selector; write names and colons, as 'didReceive:from:'", column: 1)
        }
        return parts.count - 1
    }
}
