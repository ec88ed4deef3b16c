/// The rule in the declaration of a parameter for its pointed-to memory.
extension DeclarationParser {
    func ownership(
        of entry: ParameterList.Entry, _ type: CType, _ list: ParameterList, _ types: [CType]
    ) throws(SyntaxError) -> Ownership {
        guard case .pointer(let pointee) = type.unaliased else {
            guard let mark = entry.mark else { return .value }
            throw SyntaxError(
                .syntax, "'\(mark.word)' belongs to a pointer, and this is \(type)", column: mark.column)
        }
        if case .function = pointee.unaliased.type {
            guard let mark = entry.mark else { return .function }
            throw SyntaxError(.syntax, "a function has no length; remove '\(mark.word)'", column: mark.column)
        }
        if let mark = entry.mark { return try buffer(mark, pointee, list, types) }
        if let extent = entry.extent, let size = try? elementSize(of: pointee, entry.column) {
            return try array(extent, elementSize: size, entry.column)
        }
        if pointee.isStringElement { return .string }
        // An array may have more elements than one.
        guard entry.extent == nil, let hooks = scope.hooks(of: pointee.type) else { return .bare }
        return .managed(by: hooks)
    }

    /// `int32_t rgb[3]`: C reads a pointer, and gcc and clang check the caller's length.
    private func array(
        _ extent: (count: Int, isStatic: Bool), elementSize: Int, _ column: Int
    ) throws(SyntaxError) -> Ownership {
        try requireSpan(extent.count, elementSize, column)
        return .counted(by: .constant(extent.count), elementSize: elementSize, allowsNull: !extent.isStatic)
    }

    private func buffer(
        _ mark: BufferMark, _ pointee: QualifiedType, _ list: ParameterList, _ types: [CType]
    ) throws(SyntaxError) -> Ownership {
        let length = try length(of: mark, list, types)
        guard mark.countsElements else { return .sized(by: length, allowsNull: mark.allowsNull) }
        let size = try elementSize(of: pointee, mark.column)
        if case .constant(let count) = length { try requireSpan(count, size, mark.lengthColumn) }
        return .counted(by: length, elementSize: size, allowsNull: mark.allowsNull)
    }

    private func requireSpan(_ count: Int, _ size: Int, _ column: Int) throws(SyntaxError) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        guard overflow || bytes > SyntaxLimits.bufferBytes else { return }
        throw SyntaxError(.limit, "the buffer is too large", column: column)
    }

    private func elementSize(of pointee: QualifiedType, _ column: Int) throws(SyntaxError) -> Int {
        if pointee.type.isVoid {
            throw SyntaxError(
                .unsupported, "the elements of 'void *' have no size; count bytes with __sized_by", column: column)
        }
        let complete = try byValue(pointee, column: column)
        try requireBounded(complete.type, column: column)
        return try layout(of: complete.type, column: column).size
    }

    /// Finds the length of a buffer: a constant, or the parameter that counts.
    private func length(
        of mark: BufferMark, _ list: ParameterList, _ types: [CType]
    ) throws(SyntaxError) -> Ownership.Length {
        switch mark.length {
        case .constant(let count): return .constant(count)
        case .named(let name):
            let names = list.entries.map { entry in entry.name.map { text(of: $0) } }
            guard let index = names.firstIndex(of: name) else {
                var message = "no parameter is named '\(name)'"
                if let likely = NearestName.find(name, in: names.compactMap { $0 }) {
                    message += "; did you mean '\(likely)'?"
                }
                throw SyntaxError(.syntax, message, column: mark.lengthColumn)
            }
            guard case .scalar(let scalar) = types[index].unaliased, scalar.isInteger else {
                throw SyntaxError(
                    .syntax, "'\(name)' cannot count, it is \(types[index]); use an integer", column: mark.lengthColumn)
            }
            return .parameter(index)
        }
    }
}

extension QualifiedType {
    /// `const char`, and nothing else: other character types are bytes.
    public var isStringElement: Bool {
        let plain = unaliased
        guard case .scalar(.char) = plain.type else { return false }
        return plain.qualifiers == .const
    }
}
