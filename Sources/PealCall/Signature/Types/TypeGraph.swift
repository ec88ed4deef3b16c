/// A type and all types that it leads to, pointed-to types included. Types with the same spelling are one node, so a
/// structure that points to itself ends the walk.
public struct TypeGraph: Sendable {
    /// The raw values are those of the C interface.
    public enum Kind: UInt32, Sendable {
        case void = 1
        case bool, signed, unsigned, float, complex, enumeration, structure, union, pointer, array, function, handle
        case opaque
    }

    public struct Node: Sendable {
        public internal(set) var kind = Kind.void
        /// As declared, without qualifiers.
        public let name: String
        /// The name with an outer typedef followed.
        public let resolvedName: String
        public let qualifiers: Qualifiers
        public internal(set) var size = 0
        public internal(set) var alignment = 0
        public internal(set) var isVariadic = false
        /// The number of members, enumerators or elements.
        public internal(set) var count = 0
        /// The index of the pointed-to type, element, result or integer type.
        public internal(set) var target: Int?
        /// The index of the first member or parameter.
        public internal(set) var firstMember = 0
        public internal(set) var firstEnumerator = 0
    }

    public struct Member: Sendable {
        public internal(set) var name: String
        public let type: Int
        public let offset: Int
        /// The rule of a method's parameter; nil for all others.
        public internal(set) var ownership: Ownership?
        /// A method's parameter is `_Nonnull`.
        public internal(set) var isNonnull = false
    }

    /// The described type is the first.
    public private(set) var nodes: [Node] = []
    public private(set) var members: [Member] = []
    public private(set) var enumerators: [Enumeration.Constant] = []

    /// - Parameter scope: The scope that has the members of pointed-to structures.
    public init(_ type: CType, in scope: TypeScope) {
        var walk = Walk()
        _ = add(QualifiedType(type), &walk)
        // A list instead of a recursion: a chain of pointers may be as long as the scope is large.
        while walk.next < walk.types.count {
            fill(walk.next, walk.types[walk.next], scope, &walk)
            walk.next += 1
        }
    }

    /// The function type of a method, with the parameters' names and rules.
    public init(_ signature: Signature, in scope: TypeScope) {
        let function = FunctionType(
            result: QualifiedType(signature.result), parameters: signature.parameters.map { QualifiedType($0.type) },
            isVariadic: false)
        self.init(.function(function), in: scope)
        for (index, parameter) in signature.parameters.enumerated() {
            members[index].name = parameter.name ?? ""
            members[index].ownership = parameter.ownership
            members[index].isNonnull = parameter.isNonnull
        }
    }

    private struct Walk {
        /// The type of each node. The nodes before `next` are filled.
        var types: [QualifiedType] = []
        var indices: [String: Int] = [:]
        var next = 0
    }

    /// Returns the index of a type's node. A new node is filled later.
    private mutating func add(_ type: QualifiedType, _ walk: inout Walk) -> Int {
        let spelling = type.declaration(of: "")
        if let known = walk.indices[spelling] { return known }
        let plain = type.unaliased
        nodes.append(
            Node(
                name: QualifiedType(type.type).declaration(of: ""),
                resolvedName: QualifiedType(plain.type).declaration(of: ""), qualifiers: plain.qualifiers))
        walk.types.append(plain)
        walk.indices[spelling] = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func fill(_ index: Int, _ type: QualifiedType, _ scope: TypeScope, _ walk: inout Walk) {
        var node = nodes[index]
        if let layout = scope.layout(of: type.type) { (node.size, node.alignment) = (layout.size, layout.alignment) }
        switch type.type {
        case .void, .alias: node.kind = .void
        case .scalar(let scalar): node.kind = scalar.kind
        case .handle: node.kind = .handle
        case .opaque: node.kind = .opaque
        case .pointer(let pointee):
            node.kind = .pointer
            node.target = add(pointee, &walk)
        case .array(let element, let count):
            node.kind = .array
            node.target = add(element, &walk)
            node.count = count ?? 0
        case .enumeration(let enumeration):
            node.kind = .enumeration
            node.target = add(QualifiedType(.scalar(enumeration.underlying)), &walk)
            node.firstEnumerator = enumerators.count
            node.count = enumeration.constants.count
            enumerators += enumeration.constants
        case .structure(let structure):
            node.kind = structure.kind == .union ? .union : .structure
            let members = (structure.body ?? scope.body(of: structure))?.members ?? []
            add(members.map { ($0.name ?? "", $0.type, $0.offset) }, to: &node, &walk)
        case .function(let function):
            node.kind = .function
            node.isVariadic = function.isVariadic
            node.target = add(function.result, &walk)
            add(function.parameters.map { ("", $0, 0) }, to: &node, &walk)
        }
        nodes[index] = node
    }

    private mutating func add(
        _ members: [(name: String, type: QualifiedType, offset: Int)], to node: inout Node, _ walk: inout Walk
    ) {
        node.firstMember = self.members.count
        node.count = members.count
        for member in members {
            let type = add(member.type, &walk)
            self.members.append(Member(name: member.name, type: type, offset: member.offset, ownership: nil))
        }
    }
}

extension TypeScope {
    /// The layout of a type whose structures may be known by name only.
    fileprivate func layout(of type: CType) -> Layout? {
        switch type.unaliased {
        case .structure(let structure): return (structure.body ?? body(of: structure))?.layout
        case .array(let element, let count):
            guard let layout = layout(of: element.type), let count else { return nil }
            let (size, overflow) = layout.size.multipliedReportingOverflow(by: count)
            return overflow ? nil : Layout(size: size, alignment: layout.alignment)
        default: return type.layout
        }
    }

    /// The types that were declared and not only announced: "struct point", "enum color", names of typedefs.
    public var declaredNames: [String] {
        let tagged = tags.compactMap { name, tag -> String? in
            switch tag {
            case .structure(let body, let kind): body == nil ? nil : "\(kind.word) \(name)"
            case .enumeration: "enum \(name)"
            }
        }
        return tagged + typedefs.keys
    }
}

extension Scalar {
    fileprivate var kind: TypeGraph.Kind {
        if self == .bool { return .bool }
        if isComplex { return .complex }
        guard isInteger else { return .float }
        return isUnsigned ? .unsigned : .signed
    }
}
