extension DeclarationParser {
    /// The type that the specifiers and the declarator denote. Length marks are refused. For a parameter, the caller
    /// first removes the outermost mark.
    func build(_ specifiers: Specifiers, _ declarator: Declarator) throws(SyntaxError) -> QualifiedType {
        if let mark = declarator.mark { throw misplaced(mark) }
        return try build(specifiers, declarator.derivations[...])
    }

    /// The type that the specifiers and some derivations denote, for example the derivations of a method's result.
    func build(
        _ specifiers: Specifiers, _ derivations: ArraySlice<Declarator.Derivation>
    ) throws(SyntaxError) -> QualifiedType {
        var type = specifiers.base
        var inner = specifiers.column
        for derivation in derivations.reversed() {
            defer { inner = derivation.column }
            switch derivation.kind {
            case .pointer(let qualifiers, let mark):
                if let mark { throw misplaced(mark) }
                type = QualifiedType(.pointer(to: QualifiedType(type.type.asPointee, type.qualifiers)), qualifiers)
            case .array(let count, _):
                if case .array(_, nil) = type.unaliased.type {
                    throw SyntaxError(.syntax, "only the first length of an array may be left out", column: inner)
                }
                try requireElement(type, specifiers, derivation.column)
                type = QualifiedType(.array(of: type, count: count))
            case .function(let list):
                try requireResult(type, specifiers, derivation.column)
                let function = FunctionType(
                    result: type, parameters: list.entries.map { $0.type }, isVariadic: list.ellipsisColumn != nil)
                type = QualifiedType(.function(function))
            }
        }
        try requireBounded(type.type, column: specifiers.column)
        return type
    }

    func misplaced(_ mark: BufferMark) -> SyntaxError {
        SyntaxError(
            .unsupported, "'\(mark.word)' is allowed only at the outermost pointer of a parameter; remove it",
            column: mark.column)
    }

    private func requireElement(
        _ type: QualifiedType, _ specifiers: Specifiers, _ column: Int
    ) throws(SyntaxError) {
        switch type.unaliased.type {
        case .void: throw SyntaxError(.syntax, "an array of void does not exist; use 'void *'", column: column)
        case .function:
            throw SyntaxError(.syntax, "an array of functions does not exist; use function pointers", column: column)
        case .opaque(let name): try requireKnown(name, specifiers.column)
        default: break
        }
    }

    /// Refuses the types that no function can return. A method's own result is checked more strictly.
    func requireResult(_ type: QualifiedType, _ specifiers: Specifiers, _ column: Int) throws(SyntaxError) {
        switch type.unaliased.type {
        case .array:
            throw SyntaxError(.syntax, "a function cannot return an array; return a pointer", column: column)
        case .function:
            throw SyntaxError(.syntax, "a function cannot return a function; return a pointer to it", column: column)
        case .opaque(let name): try requireKnown(name, specifiers.column)
        default: break
        }
    }

    /// Refuses a name without a declaration. `va_list` and its variants are accepted, because function pointers may use
    /// them.
    func requireKnown(_ name: String, _ column: Int) throws(SyntaxError) {
        if StandardTypes.variadicLists.contains(name) { return }
        // The refusals of `::` and `<` explain `std::string` and `vector<int>` better.
        if isAt(.scope) || isAt(.less), let refusal = refusal(of: current) { throw refusal }
        throw unknownType(name, column: column)
    }

    func unknownType(_ name: String, column: Int) -> SyntaxError {
        if Vocabulary.plusPlus.contains(name) {
            return SyntaxError(.unsupported, "'\(name)' is C++; use a C type", column: column)
        }
        var message = "unknown type '\(name)'; declare it with peal_type_declare"
        if let tag = scope.tags[name] {
            message = "unknown type '\(name)'; write '\(tag.word) \(name)'"
        } else if let likely = NearestName.find(name, in: scope.typeNames + Vocabulary.requirements) {
            message += ", or did you mean '\(likely)'?"
        }
        return SyntaxError(.unknownType, message, column: column)
    }

    /// The type for use by value, with the members of its structs. Refuses a type that cannot be passed, returned or
    /// stored.
    func byValue(_ type: QualifiedType, column: Int) throws(SyntaxError) -> QualifiedType {
        let completed = QualifiedType(try byValue(type.type, column: column), type.qualifiers)
        let plain = completed.unaliased
        guard plain.qualifiers.contains(.atomic) else { return completed }
        if case .scalar(let scalar) = plain.type, !scalar.isComplex { return completed }
        if plain.type.scalar?.isComplex == false || plain.type.isPointer { return completed }
        throw SyntaxError(
            .unsupported, "'_Atomic' of this type cannot be passed by value; use a pointer", column: column)
    }

    private func byValue(_ type: CType, column: Int) throws(SyntaxError) -> CType {
        switch type {
        case .void, .scalar, .enumeration, .pointer, .function, .handle: return type
        case .alias(let alias):
            if case .scalar = alias.target.type { return type }
            return .alias(Alias(name: alias.name, target: try byValue(alias.target, column: column)))
        case .array(let element, let count):
            return .array(of: try byValue(element, column: column), count: count)
        case .structure(let structure):
            if structure.body != nil { return type }
            if let body = scope.body(of: structure) { return .structure(structure.with(body)) }
            throw incomplete(structure, column)
        case .opaque(let name):
            guard StandardTypes.variadicLists.contains(name) else { throw unknownType(name, column: column) }
            throw SyntaxError(
                .unsupported, "'\(name)' cannot be kept beyond the call; pass the values, or a pointer to them",
                column: column)
        }
    }

    private func incomplete(_ structure: Structure, _ column: Int) -> SyntaxError {
        var message = "the members of '\(structure.spelling)' are not known; declare it first with peal_type_declare"
        if let likely = NearestName.find(structure.name, in: scope.tagNames(structure.kind)) {
            message += ", or did you mean '\(structure.kind.word) \(likely)'?"
        }
        return SyntaxError(.unknownType, message, column: column)
    }
}

extension TypeScope {
    /// The members of a structure that is known by its name.
    func body(of structure: Structure) -> StructureBody? {
        if structure.isTagged {
            guard case .structure(let body, structure.kind)? = tags[structure.name] else { return nil }
            return body
        }
        guard case .structure(let named)? = typedefs[structure.name]?.target.type.unaliased else { return nil }
        return named.body
    }
}

extension CType {
    /// A pointed-to type: a struct with a name needs no members there. So types that point to each other do not
    /// retain each other.
    fileprivate var asPointee: CType {
        guard case .alias(let alias) = self, case .structure(let structure) = unaliased, !structure.name.isEmpty,
            structure.body != nil
        else {
            guard case .structure(let structure) = self, !structure.name.isEmpty else { return self }
            return .structure(structure.with(nil))
        }
        let target = QualifiedType(alias.target.type.asPointee, alias.target.qualifiers)
        return .alias(Alias(name: alias.name, target: target))
    }
}

extension TypeScope.Tag {
    /// The keyword in front of the tag.
    var word: String {
        switch self {
        case .structure(_, let kind): kind.word
        case .enumeration: "enum"
        }
    }
}
