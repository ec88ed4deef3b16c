extension EncodingReader {
    /// `[12i]`, the cursor at the bracket.
    mutating func parseArray(_ role: Role) throws(SyntaxError) -> QualifiedType {
        let open = column
        advance()
        let count = try takeCount()
        let at = column
        let element = try parseType(role)
        if element.type.isVoid, role == .value {
            throw SyntaxError(.syntax, "an array of void does not exist", column: at)
        }
        try expect("]", "after the type of an array")
        if count == 0 {
            throw SyntaxError(.unsupported, "flexible array members are not supported; use a pointer", column: open)
        }
        // A pointed-to struct without a name is void, and so is an array of it.
        return element.type.isVoid ? element : QualifiedType(.array(of: element, count: count))
    }

    /// Parses `{point=dd}` or `(value=id)`, and `{point}` where a pointer refers to it.
    mutating func parseStructure(_ kind: Structure.Kind, _ role: Role) throws(SyntaxError) -> QualifiedType {
        let open = column
        advance()
        let close = UInt8(ascii: kind == .structure ? "}" : ")")
        let tag = try takeTag()
        var body: StructureBody?
        if take("=") {
            body = try parseMembers(kind, until: close, open, role)
        }
        try expect(UnicodeScalar(close), "to close the \(kind.word)")
        if role == .pointee {
            // A pointed-to type is identified by its name; without one it is unknown.
            return QualifiedType(tag.map { .structure(Structure(kind, name: $0, isTagged: true, body: nil)) } ?? .void)
        }
        guard let body, !body.members.isEmpty else {
            throw SyntaxError(
                .unknownType, "the members of '\(tag ?? "?")' are not in the encoding; pass a pointer to it",
                column: open)
        }
        return QualifiedType(.structure(Structure(kind, name: tag ?? "", isTagged: tag != nil, body: body)))
    }

    /// Members have names where the encoding gives them, `m1`, `m2` and so on elsewhere.
    private mutating func parseMembers(
        _ kind: Structure.Kind, until close: UInt8, _ open: Int, _ role: Role
    ) throws(SyntaxError) -> StructureBody {
        var body = StructureBody(kind)
        var names: Set<String> = []
        while current != close {
            if isAtEnd {
                throw SyntaxError(.syntax, "this '\(kind == .structure ? "{" : "(")' is never closed", column: open)
            }
            let at = column
            let name = try takeMemberName(body.members.count)
            if role == .pointee {
                try skipMember()
                continue
            }
            guard names.insert(name).inserted else {
                throw SyntaxError(.syntax, "two members are named '\(name)'", column: at)
            }
            let type = try parseType(.value)
            if type.type.isVoid { throw SyntaxError(.unsupported, "a member cannot be void", column: at) }
            if let excess = body.append(name: name, type: type) {
                throw SyntaxError(.limit, excess, column: at)
            }
        }
        return body
    }

    private mutating func takeMemberName(_ index: Int) throws(SyntaxError) -> String {
        let at = column
        guard current == UInt8(ascii: "\"") else { return "m\(index + 1)" }
        let name = try takeQuoted()
        guard CharacterClass.isName(name), !Vocabulary.isReserved(name) else {
            if name.isEmpty { return "m\(index + 1)" }
            throw SyntaxError(.syntax, "a member's name is a C name", column: at)
        }
        return name
    }

    /// Skips a member of a pointed-to struct, where a bit-field is allowed.
    private mutating func skipMember() throws(SyntaxError) {
        if take("b") {
            _ = try takeCount()
        } else {
            _ = try parseType(.pointee)
        }
    }
}
