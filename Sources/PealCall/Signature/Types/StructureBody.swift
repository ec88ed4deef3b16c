/// The members of a struct or a union, laid out as the C compiler does it.
public struct StructureBody: Sendable {
    public struct Member: Sendable {
        /// nil for a struct without a name of its own, whose members count as those of the outer struct.
        public let name: String?
        public let type: QualifiedType
        public let offset: Int
    }

    public let kind: Structure.Kind
    public private(set) var members: [Member] = []
    /// Members with arrays and nested structs counted element by element.
    public private(set) var leafCount = 0
    private(set) var measure = TypeMeasure(depth: 1, parts: 1)
    private var end = 0
    private var alignment = 1

    init(_ kind: Structure.Kind = .structure) { self.kind = kind }

    /// The size and alignment, tail padding included.
    public var layout: Layout {
        Layout(size: StructureBody.rounded(end, to: alignment), alignment: alignment)
    }

    /// Adds a member. If a bound is exceeded, returns the message and adds nothing.
    mutating func append(name: String?, type: QualifiedType) -> String? {
        let added = type.type.measure
        guard let layout = type.type.layout, let leaves = type.type.leafCount,
            layout.size <= SyntaxLimits.structureBytes, leaves <= SyntaxLimits.structureMembers
        else { return StructureBody.tooLarge }
        let offset = kind == .union ? 0 : StructureBody.rounded(end, to: layout.alignment)
        let newAlignment = max(alignment, layout.alignment)
        let size = StructureBody.rounded(max(end, offset + layout.size), to: newAlignment)
        guard size <= SyntaxLimits.structureBytes, leafCount + leaves <= SyntaxLimits.structureMembers
        else { return StructureBody.tooLarge }
        let depth = max(measure.depth, added.depth + 1)
        guard depth <= SyntaxLimits.typeDepth else { return TypeMeasure.tooDeep }
        guard measure.parts + added.parts <= SyntaxLimits.typeParts else { return TypeMeasure.tooManyParts }

        members.append(Member(name: name, type: type, offset: offset))
        end = max(end, offset + layout.size)
        alignment = newAlignment
        leafCount += leaves
        measure = TypeMeasure(depth: depth, parts: measure.parts + added.parts)
        return nil
    }

    static var tooLarge: String {
        "a struct or a union has at most \(SyntaxLimits.structureBytes) bytes and"
            + " \(SyntaxLimits.structureMembers) members, arrays counted by element"
    }

    private static func rounded(_ value: Int, to alignment: Int) -> Int {
        (value + alignment - 1) / alignment * alignment
    }
}
