extension ValueShape {
    /// Size and alignment in bytes, as the LP64 Linux machines lay values out.
    public var layout: (size: Int, alignment: Int) {
        switch self {
        case .void: (0, 1)
        case .int8, .uint8, .bool: (1, 1)
        case .int16, .uint16: (2, 2)
        case .int32, .uint32, .float: (4, 4)
        case .int64, .uint64, .double, .pointer: (8, 8)
        case .complexFloat: (8, 4)
        case .longDouble: (16, 16)
        case .complexDouble: (16, 8)
        case .complexLongDouble: (32, 16)
        case .members(let members, isUnion: false): ValueShape.layout(of: members)
        case .members(let members, isUnion: true): ValueShape.layout(ofUnion: members)
        }
    }

    public var size: Int { layout.size }

    /// The unsigned integer of a size up to 8 bytes.
    static func integer(ofSize size: Int) -> ValueShape {
        switch size {
        case 1: .uint8
        case 2: .uint16
        case 4: .uint32
        default: .uint64
        }
    }

    /// A shape with the same size and alignment: one for all scalars of a size.
    public var representativeOfLayout: ValueShape {
        let (size, alignment) = layout
        return size == alignment && size <= 8 ? .integer(ofSize: size) : self
    }

    /// True for a struct and for a union.
    public var isStructure: Bool {
        switch self {
        case .members: true
        default: false
        }
    }

    private static func layout(of members: [ValueShape]) -> (size: Int, alignment: Int) {
        var end = 0
        var alignment = 1
        for member in members {
            let layout = member.layout
            end = end.roundedUp(to: layout.alignment) + layout.size
            alignment = max(alignment, layout.alignment)
        }
        return (end.roundedUp(to: alignment), alignment)
    }

    private static func layout(ofUnion members: [ValueShape]) -> (size: Int, alignment: Int) {
        let layouts = members.map { $0.layout }
        let alignment = layouts.map { $0.alignment }.max() ?? 1
        return ((layouts.map { $0.size }.max() ?? 0).roundedUp(to: alignment), alignment)
    }
}

extension Int {
    /// The least multiple of a power of two that is not below this number.
    public func roundedUp(to powerOfTwo: Int) -> Int {
        (self + powerOfTwo - 1) & ~(powerOfTwo - 1)
    }
}

/// Where the values of a call lie in an *image* of its arguments: one after the other, each aligned as its type is, and at
/// least to a word. So an integer with only integers before it begins at the word of its index.
public struct ArgumentLayout {
    /// For each parameter, where its value begins, in bytes.
    public private(set) var offsets: [Int] = []
    /// In bytes.
    public private(set) var size = 0

    /// The offset of an integer with only integers before it.
    @inlinable
    @inline(__always)
    public static func offset(ofInteger index: Int) -> Int { index * MemoryLayout<UInt64>.size }

    public init(_ shapes: [ValueShape]) {
        for shape in shapes {
            let layout = shape.layout
            let offset = size.roundedUp(to: max(layout.alignment, MemoryLayout<UInt64>.size))
            offsets.append(offset)
            size = offset + layout.size
        }
    }
}
