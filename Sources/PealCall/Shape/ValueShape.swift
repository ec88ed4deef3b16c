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
    /// The members of a struct in order, or the overlapping members of a union. Structs and unions share a case: with
    /// two cases, Swift sets a bit in the pointers to the members, and the leak sanitizer does not follow such
    /// pointers.
    case members([ValueShape], isUnion: Bool)

    /// An array member is represented by its elements, one by one.
    public static func structure(_ members: [ValueShape]) -> ValueShape { .members(members, isUnion: false) }
    /// An array member is represented by a structure of its elements.
    public static func union(_ members: [ValueShape]) -> ValueShape { .members(members, isUnion: true) }
}

/// The shape of a whole call: the key of the plan cache.
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
