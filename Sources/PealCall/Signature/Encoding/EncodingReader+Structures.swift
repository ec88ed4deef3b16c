extension EncodingReader {
    /// `[12i]`, the cursor at the bracket.
    mutating func parseArray(_ role: Role) throws(SyntaxError) -> QualifiedType {
        let open = column
        advance()
        let count = try takeCount()
        let at = column
        let element = try parseType(role)
        if element.type.isVoid, role == .value { throw SyntaxError(.syntax, "an array of void does not exist", column: at) }
        try expect("]", "after the type of an array")
        if count == 0 {
            throw SyntaxError(.unsupported, "flexible array members are not supported; use a pointer", column: open)
        }
        // Behind a pointer a struct without a name is void, and so is an array of it.
        return element.type.isVoid ? element : QualifiedType(.array(of: element, count: count))
    }

    /// `{point=dd}`, or `{point}` behind a pointer.
    mutating func parseStructure(_ role: Role) throws(SyntaxError) -> QualifiedType {
        let open = column
        advance()
        let tag = try takeTag()
        var body: StructureBody?
        if take("=") {
            body = try parseMembers(open, role)
        }
        try expect("}", "to close the struct")
        if role == .pointee {
            // What stands behind a pointer is known by its name; without one nothing is known.
            return QualifiedType(tag.map { .structure(Structure(name: $0, isTagged: true, body: nil)) } ?? .void)
        }
        guard let body, !body.members.isEmpty else {
            throw SyntaxError(
                .unknownType, "the members of '\(tag ?? "?")' are not in the encoding; pass a pointer to it",
                column: open)
        }
        return QualifiedType(.structure(Structure(name: tag ?? "", isTagged: tag != nil, body: body)))
    }

    /// Members have names where the encoding gives them, `m1`, `m2` and so on elsewhere.
    private mutating func parseMembers(_ open: Int, _ role: Role) throws(SyntaxError) -> StructureBody {
        var body = StructureBody()
        var names: Set<String> = []
        while current != UInt8(ascii: "}") {
            if isAtEnd { throw SyntaxError(.syntax, "this '{' is never closed", column: open) }
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

    /// Behind a pointer a bit-field does no harm, and neither do unions.
    private mutating func skipMember() throws(SyntaxError) {
        if take("b") {
            _ = try takeCount()
        } else {
            _ = try parseType(.pointee)
        }
    }

    /// `(value=id)`: behind a pointer only.
    mutating func parseUnion(_ role: Role) throws(SyntaxError) -> QualifiedType {
        let open = column
        if role == .value {
            throw SyntaxError(
                .unsupported, "a union cannot be passed by value; use a pointer to it, or a struct", column: open)
        }
        advance()
        let tag = try takeTag()
        if take("=") {
            while current != UInt8(ascii: ")") {
                if isAtEnd { throw SyntaxError(.syntax, "this '(' is never closed", column: open) }
                if current == UInt8(ascii: "\"") { _ = try takeQuoted() }
                try skipMember()
            }
        }
        try expect(")", "to close the union")
        return QualifiedType(tag.map { .union(name: $0) } ?? .void)
    }
}
