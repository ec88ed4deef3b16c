extension CType {
    /// How a call passes a value of the type. Arrays and functions are passed as pointers. A
    /// type that cannot be passed at all, such as a struct without its members, has the shape of `void`; no
    /// signature contains it.
    public var shape: ValueShape {
        switch unaliased {
        case .void, .opaque, .alias: .void
        case .scalar(let scalar): scalar.shape
        case .enumeration(let enumeration): enumeration.underlying.shape
        // A handle is passed as a pointer is, and is not a number either.
        case .pointer, .function, .array, .handle: .pointer
        case .structure(let structure): structure.body?.shape ?? .void
        }
    }

    /// The reason why no method can take a value of the type; nil if one can.
    public var refusalAsParameter: String? {
        if shape.isPassedRightByFFI { return nil }
        return
            "'\(self)' cannot be passed by value on AArch64, where libffi passes unions with a long double in wrong registers; use a pointer"
    }

    /// Size and alignment; nil for `void`, functions and incomplete types, and past what an `Int`
    /// can count.
    public var layout: Layout? {
        switch unaliased {
        case .void, .function, .opaque, .alias: return nil
        case .scalar(let scalar): return scalar.layout
        case .enumeration(let enumeration): return enumeration.underlying.layout
        case .pointer, .handle: return Layout(size: 8, alignment: 8)
        case .structure(let structure): return structure.body?.layout
        case .array(let element, let count):
            guard let layout = element.type.layout, let count else { return nil }
            let (size, overflow) = layout.size.multipliedReportingOverflow(by: count)
            return overflow ? nil : Layout(size: size, alignment: layout.alignment)
        }
    }

    /// The number of values in the type, arrays and structs counted element by element.
    var leafCount: Int? {
        switch unaliased {
        case .structure(let structure): return structure.body?.leafCount
        case .array(let element, let count):
            guard let leaves = element.type.leafCount, let count else { return nil }
            let (product, overflow) = leaves.multipliedReportingOverflow(by: count)
            return overflow ? nil : product
        default: return 1
        }
    }
}

extension StructureBody {
    /// The shape of the members. Its size is bounded by the number of members that a struct may have.
    var shape: ValueShape {
        if kind == .union {
            return .union(
                members.map { member in
                    guard case .array = member.type.type.unaliased else { return member.type.type.shape }
                    return .structure(StructureBody.elements(of: member.type.type))
                })
        }
        return .structure(members.flatMap { StructureBody.elements(of: $0.type.type) })
    }

    /// The shapes of an array's elements, one by one. A type other than an array has one shape.
    private static func elements(of type: CType) -> [ValueShape] {
        guard case .array(let element, let count) = type.unaliased else { return [type.shape] }
        let one = elements(of: element.type)
        return (0..<(count ?? 0)).flatMap { _ in one }
    }
}

/// The size and alignment of a value in memory, in bytes.
public struct Layout: Hashable, Sendable {
    public let size: Int
    public let alignment: Int

    public init(size: Int, alignment: Int) {
        self.size = size
        self.alignment = alignment
    }
}
