/// The canonical text of methods: the declarations of the types that their calls carry, then the methods, a line each.
/// A scope that has read these declarations reads equal methods.
public struct CanonicalText: Sendable {
    private let scope: TypeScope
    /// The spellings of the declared types.
    private var known: Set<String> = []
    /// The numbers of types without a name.
    private var unnamed: [String: Int] = [:]
    private var declarations = ""
    private var methods = ""

    /// - Parameter scope: The scope in which the methods were read. It may have grown.
    public init(in scope: TypeScope) { self.scope = scope }

    public mutating func add(_ method: MethodDeclaration) {
        let canonical = method.canonical { named($0) }
        declare(canonical.signature.result)
        for parameter in canonical.signature.parameters {
            declare(parameter.type)
            // The elements of a buffer are carried too.
            guard parameter.ownership.length != nil, case .pointer(let element) = parameter.type else { continue }
            declare(element.type)
        }
        methods += "\(canonical)\n"
    }

    public var text: String { declarations + methods }

    /// The type with names for its structures and enums without a name, because a prototype cannot declare a type.
    private mutating func named(_ type: CType) -> CType {
        switch type {
        case .structure(let structure) where structure.name.isEmpty:
            let name = name(for: type)
            return .structure(Structure(structure.kind, name: name, isTagged: false, body: structure.body))
        case .enumeration(let enumeration) where enumeration.name.isEmpty:
            return .enumeration(enumeration.named(name(for: type)))
        case .pointer(let pointee): return .pointer(to: named(pointee))
        case .array(let element, let count): return .array(of: named(element), count: count)
        case .function(let function):
            return .function(
                FunctionType(
                    result: named(function.result), parameters: function.parameters.map { named($0) },
                    isVariadic: function.isVariadic))
        default: return type
        }
    }

    private mutating func named(_ type: QualifiedType) -> QualifiedType {
        QualifiedType(named(type.type), type.qualifiers)
    }

    private mutating func name(for type: CType) -> String {
        let spelling = type.description
        let number = unnamed[spelling] ?? unnamed.count + 1
        unnamed[spelling] = number
        return "unnamed\(number)"
    }

    /// Adds the declaration of a type that is passed by value, after those of its members.
    private mutating func declare(_ type: CType) {
        switch type {
        case .structure(let structure):
            guard let body = structure.body ?? scope.body(of: structure) else { return }
            if !structure.name.isEmpty, !known.insert(structure.spelling).inserted { return }
            let expanded = body.expanded
            for member in expanded.members { declare(member.type.type) }
            if !structure.name.isEmpty { declarations += structure.with(expanded).definition + "\n" }
        case .enumeration(let enumeration):
            guard !enumeration.name.isEmpty, let definition = enumeration.definition,
                known.insert(enumeration.spelling).inserted
            else { return }
            declarations += definition + "\n"
        case .array(let element, _): declare(element.type)
        case .pointer(let pointee): declareBehindPointer(pointee.type)
        default: return
        }
    }

    /// Adds the declarations that a pointed-to type needs. A tag needs none, except of the elements of an array. A name
    /// without a tag is always declared.
    private mutating func declareBehindPointer(_ type: CType) {
        if type.isUntagged { return declare(type) }
        switch type {
        case .array(let element, _): declare(element.type)
        case .pointer(let pointee): declareBehindPointer(pointee.type)
        case .function(let function):
            declareBehindPointer(function.result.type)
            for parameter in function.parameters { declareBehindPointer(parameter.type) }
        default: return
        }
    }
}

extension String {
    /// FNV-1a, 64 bits, of the bytes in UTF-8.
    public var fingerprint: UInt64 {
        utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}

extension CType {
    /// True for a structure or an enum that C does not know before its declaration.
    fileprivate var isUntagged: Bool {
        switch self {
        case .structure(let structure): !structure.isTagged
        case .enumeration(let enumeration): !enumeration.isTagged
        default: false
        }
    }
}

extension QualifiedType {
    /// The type without typedefs and without promises about null pointers.
    fileprivate var expanded: QualifiedType {
        let plain = unaliased
        let qualifiers = plain.qualifiers.subtracting(.nullability)
        switch plain.type {
        case .pointer(let pointee): return QualifiedType(.pointer(to: pointee.expanded), qualifiers)
        case .array(let element, let count):
            return QualifiedType(.array(of: element.expanded, count: count), qualifiers)
        case .function(let function): return QualifiedType(.function(function.expanded), qualifiers)
        case .structure(let structure) where structure.name.isEmpty:
            return QualifiedType(.structure(structure.with(structure.body?.expanded)), qualifiers)
        default: return QualifiedType(plain.type, qualifiers)
        }
    }
}

extension FunctionType {
    /// A copy of a value has no qualifiers.
    fileprivate var expanded: FunctionType {
        FunctionType(
            result: QualifiedType(result.expanded.type),
            parameters: parameters.map { QualifiedType($0.expanded.type) }, isVariadic: isVariadic)
    }
}

extension StructureBody {
    fileprivate var expanded: StructureBody {
        var body = StructureBody(kind)
        // An expanded member has no more parts than the member had, so no bound is exceeded.
        for member in members { _ = body.append(name: member.name, type: member.type.expanded) }
        return body
    }
}

extension MethodDeclaration {
    /// The same method with expanded types, and with the parameters p1, p2 and so on.
    fileprivate func canonical(_ named: (CType) -> CType) -> MethodDeclaration {
        let result = named(QualifiedType(signature.result).expanded.type)
        let parameters = signature.parameters.enumerated().map { index, parameter in
            Parameter(name: "p\(index + 1)", type: named(parameter.canonicalType), ownership: parameter.ownership)
        }
        let signature = Signature(name: signature.cName, result: result, parameters: parameters)
        return MethodDeclaration(
            requirement: requirement, signature: signature, policy: policy, since: since, recursion: recursion,
            isBorrowed: isBorrowed, sticky: sticky)
    }
}

extension Parameter {
    /// A string of an encoding is not const, but captured as if it were.
    fileprivate var canonicalType: CType {
        if ownership == .string { return .pointer(to: QualifiedType(.scalar(.char), .const)) }
        return QualifiedType(type).expanded.type
    }
}
