/// A typedef name and what it stands for.
public struct Alias: Sendable {
    public let name: String
    public let target: QualifiedType
    /// Kept so that a chain of typedefs need not be walked again at each use.
    let measure: TypeMeasure

    init(name: String, target: QualifiedType) {
        self.name = name
        self.target = target
        // A link of the chain counts, or typedefs of typedefs could nest without bound.
        let inner = target.type.measure
        measure = TypeMeasure(depth: inner.depth + 1, parts: inner.parts + 1)
    }
}
