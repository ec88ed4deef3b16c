/// The machine's view of a value: its size, its alignment and how a call passes it.
///
/// Names, qualifiers and pointees are omitted. Two prototypes with equal shapes share one call interface, for any
/// names of parameters.
public indirect enum ValueShape: Hashable, Sendable {
    case void
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64
    case bool
    case float, double, longDouble
    case complexFloat, complexDouble, complexLongDouble
    case pointer
    /// Members in order, or those of a union, which lie over each other. One case for both: with two, Swift marks the
    /// pointers to them, and the leak sanitizer does not follow such.
    case members([ValueShape], isUnion: Bool)

    /// An array member stands here as its elements, one by one.
    public static func structure(_ members: [ValueShape]) -> ValueShape { .members(members, isUnion: false) }
    /// An array member stands here as a structure of its elements.
    public static func union(_ members: [ValueShape]) -> ValueShape { .members(members, isUnion: true) }
}

/// The shape of a whole call: what call interfaces are cached by.
///
/// The observer's target, a pointer, comes before the parameters and is not among them.
public struct CallShape: Hashable, Sendable {
    public var result: ValueShape
    public var parameters: [ValueShape]

    public init(result: ValueShape, parameters: [ValueShape]) {
        self.result = result
        self.parameters = parameters
    }
}
