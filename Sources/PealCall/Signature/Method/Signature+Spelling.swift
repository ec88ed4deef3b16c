extension Signature: CustomStringConvertible {
    /// The prototype in C. Read again in the same scope it gives an equal signature, but for an encoding's
    /// `char *`, which is a string in Objective-C and not in C.
    public var description: String {
        let list = parameters.map { spelling(of: $0) }.joined(separator: ", ")
        return QualifiedType(result, resultNullability).declaration(of: "\(cName)(\(list.isEmpty ? "void" : list))")
    }

    /// The name as C can spell it: the colons of a selector become underscores, and a name that is a word of C gets one
    /// more.
    public var cName: String {
        let spelled = String(name.map { $0 == ":" ? "_" : $0 })
        return Vocabulary.isReserved(spelled) ? spelled + "_" : spelled
    }

    /// A parameter in C, its length included: `const uint8_t *__counted_by(n) bytes`.
    func spelling(of parameter: Parameter) -> String {
        let mark = mark(of: parameter)
        let type = QualifiedType(parameter.type, parameter.nullability)
        if case .pointer = parameter.type { return type.declaration(of: parameter.name ?? "", mark: mark) }
        // After a typedef there is no star for the mark.
        let declaration = type.declaration(of: parameter.name ?? "")
        return mark.isEmpty ? declaration : declaration + " " + mark
    }

    private func mark(of parameter: Parameter) -> String {
        switch parameter.ownership {
        case .counted(let length, _, let allowsNull):
            "__counted_by\(allowsNull ? "_or_null" : "")(\(spelling(of: length)))"
        case .sized(let length, let allowsNull):
            "__sized_by\(allowsNull ? "_or_null" : "")(\(spelling(of: length)))"
        case .value, .string, .function, .managed, .bare: ""
        }
    }

    private func spelling(of length: Ownership.Length) -> String {
        switch length {
        case .constant(let count): String(count)
        case .parameter(let index): parameters[index].name ?? ""
        }
    }
}
