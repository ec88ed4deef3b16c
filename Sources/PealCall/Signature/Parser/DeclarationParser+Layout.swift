extension DeclarationParser {
    /// Reads a text that consists of one type by value.
    mutating func parseLayout() throws(SyntaxError) -> Layout {
        let layout = try parseLayoutHere()
        try requireEnd()
        return layout
    }

    mutating func parseWholeType() throws(SyntaxError) -> CType {
        let (type, column) = try parseTypeName()
        let complete = try byValue(type, column: column)
        try requireEnd()
        try requireBounded(complete.type, column: column)
        return complete.type
    }

    /// Reads a text that consists of one type. It may be incomplete, as a pointed-to type may.
    mutating func parseWholeTypeName() throws(SyntaxError) -> CType {
        let (type, column) = try parseTypeName()
        try requireEnd()
        try requireBounded(type.type, column: column)
        return type.type
    }

    mutating func parseLayoutHere() throws(SyntaxError) -> Layout {
        let (type, column) = try parseTypeName()
        let complete = try byValue(type, column: column)
        return try layout(of: complete.type, column: column)
    }

    /// The layout of a complete type. Throws if C has none, or if the type is too large.
    func layout(of type: CType, column: Int) throws(SyntaxError) -> Layout {
        if let layout = type.layout { return layout }
        switch type.unaliased {
        case .array(_, .some):
            throw SyntaxError(.limit, "the array is too large", column: column)
        default:
            throw SyntaxError(.unsupported, "'\(type)' has no size", column: column)
        }
    }

    private func requireEnd() throws(SyntaxError) {
        if isAtEnd, lexer.failure == nil { return }
        throw unexpected("the end of the type")
    }
}
