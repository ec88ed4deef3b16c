extension Signature {
    /// The first thing in which another prototype differs from this one, in words for a message; nil
    /// where they agree. Names of parameters do not count.
    ///
    /// A type name that one text met before its declaration and the other after it is no difference,
    /// so this may find none between signatures that `==` distinguishes.
    ///
    /// - Parameter asFunctions: Only what a call sees counts: neither the methods' own names nor the rules
    ///   for pointed-to memory.
    public func firstDifference(from other: Signature, asFunctions: Bool = false) -> String? {
        if !asFunctions, name != other.name { return "it is '\(name)' in the first and '\(other.name)' in the second" }
        if !result.matches(other.result, by: .declaredLater) {
            return "the result is " + QualifiedType.contrast(QualifiedType(result), QualifiedType(other.result))
        }
        for index in 0..<min(parameters.count, other.parameters.count) {
            if let difference = firstDifference(from: other, at: index, asFunctions: asFunctions) {
                return difference
            }
        }
        guard parameters.count != other.parameters.count else { return nil }
        return "the first has \(Signature.counted(parameters.count)) and the second"
            + " \(Signature.counted(other.parameters.count))"
    }

    private func firstDifference(from other: Signature, at index: Int, asFunctions: Bool) -> String? {
        let (mine, others) = (parameters[index], other.parameters[index])
        guard mine.type.matches(others.type, by: .declaredLater) else {
            return mine.title(at: index) + " is "
                + QualifiedType.contrast(QualifiedType(mine.type), QualifiedType(others.type))
        }
        guard !asFunctions, !mine.ownership.agrees(with: others.ownership) else { return nil }
        return mine.title(at: index) + " is \(words(for: mine.ownership)) in the first and"
            + " \(other.words(for: others.ownership)) in the second"
    }

    private func words(for ownership: Ownership) -> String {
        switch ownership {
        case .value: return "a value"
        case .string: return "a string"
        case .function: return "a function"
        case .bare, .managed: return "a pointer without a length"
        case .counted(let length, let elementSize, let allowsNull):
            return "counted by \(words(for: length)) in elements of \(elementSize) bytes" + nullWords(allowsNull)
        case .sized(let length, let allowsNull):
            return "sized by \(words(for: length))" + nullWords(allowsNull)
        }
    }

    private func nullWords(_ allowsNull: Bool) -> String { allowsNull ? " or null" : "" }

    private func words(for length: Ownership.Length) -> String {
        switch length {
        case .constant(let count): String(count)
        case .parameter(let index): parameters[index].title(at: index)
        }
    }

    private static func counted(_ count: Int) -> String {
        switch count {
        case 0: "no parameters"
        case 1: "1 parameter"
        default: "\(count) parameters"
        }
    }
}
