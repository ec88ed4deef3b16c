internal import CPeal
internal import CPealSupport
internal import PealCall
internal import PealCore

/// A type graph as the C structures of reflection.h, in one allocation: the types, the described one first, then the
/// members, the enumerators and the texts.
struct TypeDescription {
    private let types: UnsafeMutablePointer<peal_type>
    private let members: UnsafeMutablePointer<peal_type_member>
    private let enumerators: UnsafeMutablePointer<peal_type_enumerator>
    private var text: UnsafeMutablePointer<CChar>

    /// - Parameter isBorrowed: The method promises that bare pointers outlive a captured call.
    static func make(_ graph: TypeGraph, isBorrowed: Bool = false) throws(Failure) -> UnsafePointer<peal_type> {
        let typeBytes = graph.nodes.count * MemoryLayout<peal_type>.stride
        let memberBytes = graph.members.count * MemoryLayout<peal_type_member>.stride
        let enumeratorBytes = graph.enumerators.count * MemoryLayout<peal_type_enumerator>.stride
        guard let memory = peal_memory_allocate(typeBytes + memberBytes + enumeratorBytes + graph.textBytes) else {
            throw .outOfMemory
        }
        let afterTypes = memory + typeBytes
        let afterMembers = afterTypes + memberBytes
        let afterEnumerators = afterMembers + enumeratorBytes
        var description = TypeDescription(
            types: memory.assumingMemoryBound(to: peal_type.self),
            members: afterTypes.assumingMemoryBound(to: peal_type_member.self),
            enumerators: afterMembers.assumingMemoryBound(to: peal_type_enumerator.self),
            text: afterEnumerators.assumingMemoryBound(to: CChar.self))
        description.fill(graph, isBorrowed)
        return UnsafePointer(description.types)
    }

    private mutating func fill(_ graph: TypeGraph, _ isBorrowed: Bool) {
        for (index, node) in graph.nodes.enumerated() { types[index] = type(node) }
        for (index, member) in graph.members.enumerated() {
            members[index] = peal_type_member()
            members[index].size = MemoryLayout<peal_type_member>.size
            members[index].name = copy(member.name)
            members[index].type = UnsafePointer(types + member.type)
            members[index].offset = member.offset
            members[index].is_nonnull = member.isNonnull
            if let ownership = member.ownership { members[index].set(ownership, isBorrowed: isBorrowed) }
        }
        for (index, constant) in graph.enumerators.enumerated() {
            enumerators[index] = peal_type_enumerator(
                size: MemoryLayout<peal_type_enumerator>.size, next: nil, name: copy(constant.name),
                value: Int64(truncatingIfNeeded: constant.value))
        }
        for node in graph.nodes { link(node) }
    }

    private mutating func type(_ node: TypeGraph.Node) -> peal_type {
        var type = peal_type()
        type.size = MemoryLayout<peal_type>.size
        type.kind = peal_type_kind(rawValue: node.kind.rawValue)
        type.is_const = node.qualifiers.contains(.const)
        type.is_volatile = node.qualifiers.contains(.volatile)
        type.is_restrict = node.qualifiers.contains(.restrict)
        type.is_atomic = node.qualifiers.contains(.atomic)
        type.is_variadic = node.isVariadic
        type.name = copy(node.name)
        type.resolved_name = node.resolvedName == node.name ? type.name : copy(node.resolvedName)
        (type.value_size, type.alignment, type.count) = (node.size, node.alignment, node.count)
        type.target = node.target.map { UnsafePointer(types + $0) }
        if node.hasMembers { type.members = UnsafePointer(members + node.firstMember) }
        if node.hasEnumerators { type.enumerators = UnsafePointer(enumerators + node.firstEnumerator) }
        return type
    }

    /// Links the members or the enumerators of a type.
    private func link(_ node: TypeGraph.Node) {
        guard node.count > 1 else { return }
        if node.hasMembers {
            for index in node.firstMember..<node.firstMember + node.count - 1 {
                members[index].next = UnsafePointer(members + index + 1)
            }
        }
        if node.hasEnumerators {
            for index in node.firstEnumerator..<node.firstEnumerator + node.count - 1 {
                enumerators[index].next = UnsafePointer(enumerators + index + 1)
            }
        }
    }

    private mutating func copy(_ name: String) -> UnsafePointer<CChar> {
        let start = text
        text += Boundary.copy(name, to: text, capacity: name.utf8.count + 1) + 1
        return UnsafePointer(start)
    }
}

extension TypeGraph {
    /// The size of all texts, each with its final zero.
    fileprivate var textBytes: Int {
        nodes.reduce(0) { $0 + $1.name.utf8.count + $1.resolvedName.utf8.count + 2 }
            + members.reduce(0) { $0 + $1.name.utf8.count + 1 }
            + enumerators.reduce(0) { $0 + $1.name.utf8.count + 1 }
    }
}

extension TypeGraph.Node {
    fileprivate var hasMembers: Bool {
        count > 0 && (kind == .structure || kind == .union || kind == .function)
    }
    fileprivate var hasEnumerators: Bool { count > 0 && kind == .enumeration }
}

extension peal_type_member {
    fileprivate mutating func set(_ ownership: Ownership, isBorrowed: Bool) {
        self.ownership = peal_ownership(ownership, isBorrowed: isBorrowed)
        switch ownership {
        case .counted(let length, _, let allowsNull): set(length, inBytes: false, allowsNull)
        case .sized(let length, let allowsNull): set(length, inBytes: true, allowsNull)
        case .value, .string, .function, .managed, .bare: return
        }
    }

    private mutating func set(_ length: Ownership.Length, inBytes: Bool, _ allowsNull: Bool) {
        has_length = true
        length_in_bytes = inBytes
        allows_null = allowsNull
        switch length {
        case .constant(let count): self.length = count
        case .parameter(let index): (length_is_parameter, self.length) = (true, index)
        }
    }
}
