/// The operations on a result: comparing with zero, adding, ordering.
public enum ResultKind: UInt8, Sendable, BitwiseCopyable {
    case void, bool
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64
    case float, double, longDouble
    case pointer
    /// Structs and complex numbers: can be kept, not compared.
    case opaque

    public init(_ shape: ValueShape) {
        self =
            switch shape {
            case .void: .void
            case .bool: .bool
            case .int8: .int8
            case .uint8: .uint8
            case .int16: .int16
            case .uint16: .uint16
            case .int32: .int32
            case .uint32: .uint32
            case .int64: .int64
            case .uint64: .uint64
            case .float: .float
            case .double: .double
            case .longDouble: .longDouble
            case .pointer: .pointer
            case .members, .complexFloat, .complexDouble, .complexLongDouble: .opaque
            }
    }
}
