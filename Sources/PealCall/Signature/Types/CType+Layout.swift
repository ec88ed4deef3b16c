extension CType {
    /// How a call passes a value of the type. Arrays and functions are passed as pointers. What
    /// cannot be passed at all, a struct without its members for one, has the shape of `void`; no
    /// signature contains it.
    public var shape: ValueShape {
        switch unaliased {
        case .void, .union, .opaque, .alias: .void
        case .scalar(let scalar): scalar.shape
        case .enumeration(let enumeration): enumeration.underlying.shape
        // A handle travels as a pointer does, and is no number either.
        case .pointer, .function, .array, .handle: .pointer
        case .structure(let structure): structure.body?.shape ?? .void
        }
    }

    /// Size and alignment; nil for `void`, functions and incomplete types, and past what an `Int`
    /// can count.
    public var layout: Layout? {
        switch unaliased {
        case .void, .function, .union, .opaque, .alias: return nil
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

    /// How many values the type holds, arrays and structs counted element by element.
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
    /// Bounded by the number of members that a struct may have.
    var shape: ValueShape {
        var shapes: [ValueShape] = []
        for member in members {
            StructureBody.append(member.type.type, to: &shapes)
        }
        return .structure(shapes)
    }

    private static func append(_ type: CType, to shapes: inout [ValueShape]) {
        guard case .array(let element, let count) = type.unaliased else {
            shapes.append(type.shape)
            return
        }
        var one: [ValueShape] = []
        append(element.type, to: &one)
        for _ in 0..<(count ?? 0) { shapes += one }
    }
}
