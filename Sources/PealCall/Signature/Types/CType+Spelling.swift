extension CType: CustomStringConvertible {
    /// The type as C writes it without a name: `int (*)(const void *, const void *)`.
    public var description: String { declaration(of: "") }

    /// A declaration of `name` with this type: `int (*compare)(const void *, const void *)`.
    public func declaration(of name: String) -> String {
        QualifiedType(self).declaration(of: name)
    }
}

extension QualifiedType {
    /// The declaration of `inner` with this type. C declares a name as it is used, so the spelling grows from the name
    /// outwards; a pointer to an array or a function needs parentheses around the spelling so far. `mark` is put after
    /// the outermost star, the position of `__counted_by`.
    func declaration(of inner: String, mark: String = "") -> String {
        switch type {
        case .pointer(let pointee):
            var words = qualifiers.prefix + (mark.isEmpty ? "" : mark + " ") + inner
            if inner.isEmpty, words.last == " " { words.removeLast() }
            switch pointee.type {
            case .array, .function: return pointee.declaration(of: "(*\(words))")
            default: return pointee.declaration(of: "*" + words)
            }
        case .array(let element, let count):
            let length = count.map { String($0) } ?? ""
            return QualifiedType(element.type, element.qualifiers.union(qualifiers))
                .declaration(of: "\(inner)[\(length)]")
        case .function(let function):
            return function.result.declaration(of: inner + function.parameterSpelling)
        default:
            let base = qualifiers.prefix + baseSpelling
            return inner.isEmpty ? base : base + " " + inner
        }
    }

    private var baseSpelling: String {
        switch type {
        case .void, .pointer, .array, .function: "void"
        case .scalar(let scalar): scalar.spelling
        case .enumeration(let enumeration): enumeration.spelling
        case .structure(let structure):
            structure.name.isEmpty ? structure.kind.word + " " + structure.bodySpelling : structure.spelling
        case .opaque(let name): name
        case .handle(let handle): handle.rawValue
        case .alias(let alias): alias.name
        }
    }
}

extension FunctionType {
    fileprivate var parameterSpelling: String {
        if parameters.isEmpty { return isVariadic ? "(...)" : "(void)" }
        let list = parameters.map { $0.declaration(of: "") }.joined(separator: ", ")
        return isVariadic ? "(\(list), ...)" : "(\(list))"
    }
}

extension Structure {
    /// The declaration that makes the struct known: `struct point { double x; double y; };`.
    public var definition: String {
        isTagged ? "\(spelling) \(bodySpelling);" : "typedef \(kind.word) \(bodySpelling) \(name);"
    }

    /// `{ double x; double y; }`, or nothing where the members are not known.
    var bodySpelling: String {
        guard let body else { return "" }
        let members = body.members.map { $0.type.declaration(of: $0.name ?? "") + "; " }
        return "{ \(members.joined())}"
    }
}

extension Enumeration {
    /// In C's words: `enum color`, or the typedef name, or the enumerators.
    var spelling: String {
        if isTagged { return "enum " + name }
        return name.isEmpty ? "enum " + bodySpelling : name
    }

    /// The declaration that makes the enum known; nil if only its name is known.
    var definition: String? {
        if constants.isEmpty {
            return isTagged && underlying != .unsignedInt ? "\(spelling) : \(underlying.spelling);" : nil
        }
        return isTagged ? "\(spelling) \(bodySpelling);" : "typedef enum \(bodySpelling) \(name);"
    }

    private var bodySpelling: String {
        let list = constants.map { "\($0.name) = \($0.spelling)" }.joined(separator: ", ")
        let type = underlying == Enumeration.customaryType(of: constants) ? "" : ": \(underlying.spelling) "
        return "\(type){ \(list) }"
    }
}

extension Enumeration.Constant {
    /// C has no literal of the least value: its digits alone are out of range.
    fileprivate var spelling: String { value == Int128(Int64.min) ? "\(value + 1) - 1" : "\(value)" }
}
