public import PealCall

/// The treatment of results, as one byte. The raw values are those of `peal_policy`.
public enum BroadcastPolicy: UInt8, Sendable, BitwiseCopyable {
    case all = 1
    case firstTrue, firstNonzero, last, sum, min, max, any, every, collect, chain, fold

    /// The policy whose bits are those of a valid raw value. Inlined, unlike the initialiser that may fail.
    @inline(__always)
    init(bits: UInt8) {
        self =
            switch bits {
            case 1: .all
            case 2: .firstTrue
            case 3: .firstNonzero
            case 4: .last
            case 5: .sum
            case 6: .min
            case 7: .max
            case 8: .any
            case 9: .every
            case 10: .collect
            case 11: .chain
            case 12: .fold
            // Unreachable, so that the switch is a subtraction.
            default: BroadcastPolicy?.none.unsafelyUnwrapped
            }
    }

    public init(_ policy: MethodDeclaration.Policy) {
        self =
            switch policy {
            case .all: .all
            case .firstTrue: .firstTrue
            case .firstNonzero: .firstNonzero
            case .last: .last
            case .sum: .sum
            case .min: .min
            case .max: .max
            case .any: .any
            case .every: .every
            case .collect: .collect
            case .chain: .chain
            case .fold: .fold
            }
    }

    /// Returns true if the policy applies to results of this kind.
    public func fits(_ kind: ResultKind) -> Bool {
        switch self {
        case .all: true
        case .firstTrue, .any, .every: kind.isTruth
        case .firstNonzero: kind != .void && kind != .opaque
        case .sum, .min, .max: kind.isNumber
        case .last, .collect, .chain, .fold: kind != .void
        }
    }

    var name: String {
        switch self {
        case .all: "all"
        case .firstTrue: "first_true"
        case .firstNonzero: "first_nonzero"
        case .last: "last"
        case .sum: "sum"
        case .min: "min"
        case .max: "max"
        case .any: "any"
        case .every: "every"
        case .collect: "collect"
        case .chain: "chain"
        case .fold: "fold"
        }
    }
}

extension ResultKind {
    /// Booleans and integers.
    var isTruth: Bool {
        switch self {
        case .bool, .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64: true
        case .void, .float, .double, .longDouble, .pointer, .opaque: false
        }
    }

    /// Integers and floating numbers.
    var isNumber: Bool {
        switch self {
        case .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64: true
        case .float, .double, .longDouble: true
        case .void, .bool, .pointer, .opaque: false
        }
    }
}
