/// The depth and the number of parts of a type once its typedefs are followed. Both are bounded, so that every walk
/// over a type ends soon and needs little stack.
struct TypeMeasure: Sendable {
    var depth: Int
    var parts: Int

    static var tooDeep: String { "types nest at most \(SyntaxLimits.typeDepth) deep" }
    static var tooManyParts: String {
        "a type has at most \(SyntaxLimits.typeParts) parts once its typedefs are followed"
    }

    /// The error for an exceeded bound.
    var excess: String? {
        if depth > SyntaxLimits.typeDepth { return TypeMeasure.tooDeep }
        if parts > SyntaxLimits.typeParts { return TypeMeasure.tooManyParts }
        return nil
    }
}

extension CType {
    var measure: TypeMeasure {
        switch self {
        case .void, .scalar, .enumeration, .opaque, .handle:
            return TypeMeasure(depth: 1, parts: 1)
        case .structure(let structure):
            return structure.body?.measure ?? TypeMeasure(depth: 1, parts: 1)
        case .alias(let alias):
            return alias.measure
        case .pointer(let inner), .array(let inner, _):
            let measure = inner.type.measure
            return TypeMeasure(depth: measure.depth + 1, parts: measure.parts + 1)
        case .function(let function):
            var whole = function.result.type.measure
            for parameter in function.parameters {
                let measure = parameter.type.measure
                whole.depth = max(whole.depth, measure.depth)
                whole.parts += measure.parts
            }
            return TypeMeasure(depth: whole.depth + 1, parts: whole.parts + 1)
        }
    }
}
