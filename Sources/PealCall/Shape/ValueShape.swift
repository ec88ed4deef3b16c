/// What the machine needs to know of a value: its size, its alignment and how a call passes it.
///
/// Names, qualifiers and pointees are gone here. Two prototypes with equal shapes share one call
/// interface, whatever their parameters are called.
public indirect enum ValueShape: Hashable, Sendable {
    case void
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64
    case bool
    case float, double, longDouble
    case complexFloat, complexDouble, complexLongDouble
    case pointer
    /// Members in order. An array member stands here as its elements, one by one.
    case structure([ValueShape])
    /// Members that lie over each other. An array member stands here as a structure of its elements.
    case union([ValueShape])
}
