extension DeclarationParser {
    /// A text that is one type by value and nothing else.
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

    /// A type that may be incomplete: what stands behind a pointer.
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

    /// The layout of a type that is complete, as far as C has one.
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
